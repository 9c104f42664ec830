"""Looks for an order of operations that explains what each of them has returned: see `explain`.

It knows nothing of logs and numbers of events: it takes only what was asked, what was returned, and
when. So it finds what `histories.py` cannot, which trusts the log.

The search is that of Wing and Gong, "Testing and Verifying Concurrent Objects", 1993, with the
memory of Lowe, "Testing for linearizability", 2017. Linearizability is local: each record, or group
of records that are changed together, is searched alone.
"""

import collections
import math

# A search that takes more steps than this for each operation has not come to an answer.
STEPS_MAX = 1_000


class Call:
    """An operation on one object. `end` is infinite if nothing was returned: it may have happened
    at any time after it began, or not at all. `result` is None if it is not known."""

    def __init__(self, identity, begin, end, act, result):
        self.id = identity
        self.begin = begin
        self.end = end
        self.act = act
        self.result = result


# MARK: What operations do to an object: (state, call) -> (state, result)

BASKET_MAX = 30
BALANCE = 100


def append(state, call):
    values = state if len(state) <= BASKET_MAX else ()
    values += (call.id,)
    return values, ",".join(values)


def show(state, _):
    return state, ",".join(state)


def transfer(source):
    """From an account to the other one of its pair."""
    def act(state, _):
        balances = list(state)
        balances[source % 2] -= 1
        balances[1 - source % 2] += 1
        return tuple(balances), f"{source}={balances[source % 2]},{balances[1 - source % 2]}"
    return act


def replace(number):
    return lambda state, call: (call.id, f"{number}: {state} -> {call.id}")


def claim(state, call):
    return (state, f"taken by {state}") if state else (call.id, "claimed")


BEGINNINGS = {"basket": (), "accounts": (BALANCE, BALANCE), "register": "", "claim": ""}


def calls(operations, until=math.inf):
    """The calls of each object, of what began before `until`."""
    objects = collections.defaultdict(list)
    for operation in operations.values():
        asked, answer = operation.invoked, operation.more
        if asked["time"] >= until or operation.phase == "fail":
            continue
        returned = operation.phase == "ok" and operation.ended < until
        # A repetition of a write has no value.
        end, result = (operation.ended, answer.get("value")) if returned else (math.inf, None)
        if operation.kind == "latest" and returned:
            name, act = ("basket", answer["basket"]), show
        elif operation.kind == "write":
            name, act = action(asked)
        else:
            continue
        objects[name].append(Call(operation.id, asked["time"], end, act, result))
    return objects


def action(asked):
    kind, number = asked["kind"], asked["number"]
    match kind:
        case "append":
            return ("basket", number), append
        case "transfer":
            return ("accounts", number // 2), transfer(number)
        case "replace":
            return ("register", number), replace(number)
        case "claim":
            return ("claim", number), claim
    raise ValueError(f"no action is called {kind}")


# MARK: The search

def is_explained(begin, all_calls):
    """Whether an order that the times allow gives each call the result that it has. None if the
    search was given up."""
    returned = sorted((x for x in all_calls if x.end < math.inf), key=lambda x: x.begin)
    pending = sorted((x for x in all_calls if x.end == math.inf), key=lambda x: x.begin)
    # Bit n of `done` is the nth of these.
    ordered = returned + pending

    def candidates(first, done):
        """The calls that may be next: those that began before any that is left has returned."""
        last = math.inf
        for index in range(first, len(returned)):
            call = returned[index]
            if call.begin > last:
                break
            if not done >> index & 1:
                last = min(last, call.end)
                yield index
        # What has returned nothing is tried last: later is as good for it as earlier.
        for index in range(len(returned), len(ordered)):
            if ordered[index].begin > last:
                break
            if not done >> index & 1:
                yield index

    def advanced(first, done):
        while first < len(returned) and done >> first & 1:
            first += 1
        return first

    tried = set()
    stack = [(begin, 0, 0, candidates(0, 0))]
    steps = 0
    while stack:
        state, first, done, left = stack[-1]
        if first == len(returned):
            return True
        # In the order of their beginnings, so no call that is not seen yet has returned before.
        index = next(left, None)
        if index is None:
            stack.pop()
            continue
        call = ordered[index]
        steps += 1
        if steps > STEPS_MAX * len(ordered):
            return None
        after, result = call.act(state, call)
        if call.result is not None and call.result != result:
            continue
        next_done = done | 1 << index
        key = (next_done, after)
        if key in tried:
            continue
        tried.add(key)
        next_first = advanced(first, next_done)
        stack.append((after, next_first, next_done, candidates(next_first, next_done)))
    return False


def explain(operations, until=math.inf):
    """Returns the problems as texts, and counts, of the operations before a time."""
    problems, counts = [], collections.Counter()
    for name, found in calls(operations, until).items():
        answer = is_explained(BEGINNINGS[name[0]], found)
        counts["calls in a search"] += len(found)
        counts["searches"] += 1
        label = f"{name[0]} {name[1]}"
        if answer is False:
            problems.append(f"no order explains the {len(found)} calls on {label}")
        elif answer is None:
            counts["searches that were given up"] += 1
    return problems, counts
