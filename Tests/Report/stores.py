"""Writes stores for the checks of the report: a shop with orders, of any number of events.

The bytes of the log follow docs/log-format.md; Tests/Golden/write.py makes them.
"""

import math
import pathlib
import random
import sys
import uuid

import cbor2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Golden"))
import write  # noqa: E402

ACTORS = ["ada", "grace", "linus", "margaret", "edsger", "barbara", "donald", "worker-1",
          "worker-2", "import"]
WEIGHTS = [9, 8, 6, 6, 4, 4, 2, 14, 12, 3]
NAMES = ["Alma", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hana", "Ivo", "Jonas",
         "Katja", "Lena", "Mats", "Nora", "Otto", "Pia", "Quirin", "Rosa", "Sven", "Thea"]
FAMILIES = ["Andersson", "Baumann", "Costa", "Dubois", "Eriksen", "Fischer", "García", "Horváth",
            "Ivanova", "Jensen", "Kowalski", "Lindqvist", "Moreau", "Nowak", "Öztürk", "Papadakis"]
CITIES = ["Athens", "Berlin", "Copenhagen", "Dublin", "Lisbon", "Oslo", "Vienna", "Zürich"]
GOODS = ["Espresso machine", "Grinder", "Kettle", "Filter papers", "Beans, dark", "Beans, light",
         "Milk jug", "Scale", "Tamper", "Cups, set of six", "Descaler", "Cold brew jar"]
STATES = ["placed", "paid", "packed", "shipped", "delivered"]
HOSTILE = ["</script><script>alert(1)</script>", "<!-- <script>", "line\u2028end\u2029", "a\x00b",
           "\u202egnp.exe", "<img src=x onerror=alert(1)>", "&lt;b&gt;", "{{data}}", "  "]


class Log(write.Log):
    """A log whose events say their times."""

    def advance(self, event):
        self.sequence += 1
        self.time = event["time"]
        data = write.cbor({"sequence": self.sequence, "changes": [], **event})
        self.chain = write.hash64(
            write.struct.pack("<QQ", self.chain, write.hash64(data)))
        return data


class Shop:
    """Makes events, each on the state after the one before it."""

    def __init__(self, seed, count):
        self.random = random.Random(seed)
        self.time = 1_767_600_000_000_000
        self.pace = max(1, 150 * 86_400_000_000 // max(1, count))
        self.tables = {name: {} for name in ("Product", "Customer", "Order", "Cart", "Note")}
        self.order_number = 1_000

    def insert(self, entity, record):
        self.tables[entity][record["id"]] = record
        return {"entity": entity, "id": record["id"], "after": record}

    def update(self, entity, key, after, gone=()):
        record = self.tables[entity][key]
        before = {name: record[name] for name in [*after, *gone] if name in record}
        record = {name: value for name, value in {**record, **after}.items() if name not in gone}
        self.tables[entity][key] = record
        return {"entity": entity, "id": key, "before": before, "after": after}

    def delete(self, entity, key):
        return {"entity": entity, "id": key, "before": self.tables[entity].pop(key)}

    def any(self, entity):
        keys = self.tables[entity]
        return self.random.choice(list(keys)[-400:]) if keys else None

    def uuid(self):
        return uuid.UUID(int=self.random.getrandbits(128), version=4)

    def event(self, number):
        changes, reason, more = self.work(number)
        # By day, and on few Sundays.
        season = 1.2 + math.sin(number / 900) * 0.6 + math.sin(number / 170) * 0.3
        gap = self.random.expovariate(season) * self.pace
        self.time += max(1, int(gap))
        hour = self.time // 3_600_000_000 % 24
        if hour > 19 and self.random.random() < 0.93:
            self.time += (30 - hour) * 3_600_000_000
        event = {"time": self.time, "changes": changes, **more}
        actor = self.random.choices(ACTORS, WEIGHTS)[0]
        if self.random.random() > 0.01:
            event.setdefault("actor", actor)
        if reason:
            event["reason"] = reason
        return event

    def work(self, number):
        choice = self.random.random()
        if number == 0:
            goods = [self.insert("Product", {
                "id": index + 1, "name": name, "price": 500 + 1_250 * index,
                "stock": 40, "active": True, "tags": ["new"] if index % 3 else [],
            }) for index, name in enumerate(GOODS)]
            return goods, "opening of the shop", {"actor": "import", "tags": {"batch": "1"}}
        if number == 5:
            return [self.insert("Note", {"id": text, "text": text, text: text})
                    for text in HOSTILE], HOSTILE[0], {
                        "actor": HOSTILE[0], "tags": {HOSTILE[1]: HOSTILE[5]}}
        if number % 2_500 == 2_499 and self.tables["Cart"]:
            count = len(self.tables["Cart"])
            self.tables["Cart"] = {}
            return [{"entity": "Cart", "cleared": count}], "carts are emptied every quarter", {}
        if choice < 0.16 or not self.tables["Customer"]:
            name = f"{self.random.choice(NAMES)} {self.random.choice(FAMILIES)}"
            return [self.insert("Customer", {
                "id": self.uuid(), "name": name, "email": f"{name.split()[0].lower()}@example.org",
                "address": {"city": self.random.choice(CITIES),
                            "street": f"Main Street {self.random.randrange(1, 200)}"},
                "since": cbor2.CBORTag(55_934, self.time / 1e6 - 978_307_200),
                "newsletter": self.random.random() < 0.4,
            })], None if choice < 0.05 else "signed up", {}
        if choice < 0.24:
            return [self.insert("Cart", {
                "id": self.uuid(), "product": self.any("Product"), "count": 1})], None, {}
        if choice < 0.5 or not self.tables["Order"]:
            return self.place()
        if choice < 0.86:
            return self.advance_order()
        if choice < 0.9:
            return self.move()
        if choice < 0.94:
            key = self.any("Product")
            price = int(self.tables["Product"][key]["price"] * self.random.uniform(0.92, 1.08))
            price = min(30_000, max(400, price))
            return [self.update("Product", key, {"price": price})], "prices of the month", {}
        if choice < 0.97:
            key = self.any("Order")
            return [self.delete("Order", key)], "cancelled by the customer", {}
        key = self.any("Order")
        return [self.update("Order", key, {
            "discount": self.random.choice([0.1, 0.25, 2**70, -1.0, None]),
            "note": self.random.choice(["gift", "please ring twice", "fragile"])})], "a call", {}

    def place(self):
        self.order_number += 1
        product = self.any("Product")
        row = self.tables["Product"][product]
        count = self.random.randrange(1, 4)
        changes = [self.insert("Order", {
            "id": self.order_number, "customer": self.any("Customer"), "product": product,
            "count": count, "total": row["price"] * count, "state": "placed",
        })]
        left = row["stock"] - count
        changes.append(self.update("Product", product, {"stock": left if left > 3 else left + 60}))
        return changes, "ordered in the shop", {
            "intent": {"name": "PlaceOrder", "value": {"product": product, "count": count}},
            "correlation": f"visit-{self.random.randrange(10_000)}"}

    def advance_order(self):
        key = self.any("Order")
        order = self.tables["Order"][key]
        if order["state"] == STATES[-1] or self.random.random() < 0.03:
            gone = [name for name in ("note", "discount") if name in order]
            after = {"count": order["count"] + 1}
            return [self.update("Order", key, after, gone)], "corrected", {}
        place = STATES.index(order["state"]) + 1
        changes = [self.update("Order", key, {"state": STATES[place]})]
        if STATES[place] == "shipped":
            changes[0]["after"]["parcel"] = f"SK{self.random.randrange(10**9):09}"
            self.tables["Order"][key]["parcel"] = changes[0]["after"]["parcel"]
        return changes, f"order {STATES[place]}", {}

    def move(self):
        key = self.any("Customer")
        address = self.tables["Customer"][key]["address"]
        return [self.update("Customer", key, {"address": {
            **address, "street": f"Station Road {self.random.randrange(1, 99)}"}})], "moved", {}


def write_store(directory, count, seed=7):
    """Writes a store with `count` events."""
    shop = Shop(seed, count)
    events = [shop.event(number) for number in range(count)]
    log = Log().sealed(events[:-5], frame=250).open(events[-5:]) if count > 5 \
        else Log().open(events)
    for path, data in log.files.items():
        file = pathlib.Path(directory, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


if __name__ == "__main__":
    write_store(sys.argv[1], int(sys.argv[2]))
