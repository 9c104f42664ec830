"""Finds places in Swift sources by structure: a member by its name, and code in it by its tokens.

A member is what a type or an extension declares, or a file at its top. It begins at its keyword
and ends where the next one begins, so it includes the comments and attributes of the next one,
which no pattern of code can match by accident.
"""

import difflib
import re

TOKEN = re.compile(
    r'(?P<space>\s+|//[^\n]*|/\*.*?\*/)'
    r'|(?P<code>#*"""(?:\\.|[^\\])*?"""#*|#*"(?:\\.|[^"\\\n])*"#*'
    r'|\w+|`[^`\n]*`|[^\w\s])',
    re.DOTALL,
)
TYPES = {"struct", "class", "enum", "actor", "extension", "protocol"}
MEMBERS = {"func", "var", "let", "init", "deinit", "subscript"}


PIECE = re.compile(r"\w+|[^\w\s]")


class Token:
    def __init__(self, text, start):
        self.text = text
        self.start = start
        self.end = start + len(text)


def tokens(text):
    """The tokens of Swift: a string is one of them."""
    return [Token(match["code"], match.start()) for match in TOKEN.finditer(text) if match["code"]]


def pieces(found):
    """The same with strings taken apart, so that a pattern can be a part of one."""
    for token in found:
        if '"' in token.text:
            for match in PIECE.finditer(token.text):
                yield Token(match[0], token.start + match.start())
        else:
            yield token


class Member:
    """Part of a file: `Type.name` with the tokens of its declaration."""

    def __init__(self, path, source, name, content):
        self.path = path
        self.source = source
        self.name = name
        self.tokens = list(pieces(content))

    def is_called(self, name):
        return self.name == name or self.name.endswith("." + name)

    def find(self, pattern):
        """The ranges of the text whose tokens are the pattern's."""
        texts = [token.text for token in self.tokens]
        count = len(pattern)
        return [
            (self.tokens[index].start, self.tokens[index + count - 1].end)
            for index in range(len(texts) - count + 1)
            if texts[index:index + count] == pattern
        ]

    def line(self, offset):
        return self.source.count("\n", 0, offset) + 1


def type_name(found, index):
    """The name after a type's keyword: `extension Outer.Inner` has a dot in it."""
    name = found[index + 1].text
    while index + 3 < len(found) and found[index + 2].text == ".":
        name += "." + found[index + 3].text
        index += 2
    return name


def members(path, source):
    """The members of a file. Only braces, keywords and names are looked at."""
    found = tokens(source)
    scopes = [""]  # the type's name for each open brace; None for any other
    pending = None  # the name of a type whose brace is still to come
    starts = []  # (token, name) where a member begins, or the end of one, without a name
    for index, token in enumerate(found):
        before = found[index - 1].text if index else ""
        if token.text == "{":
            scopes.append(pending)
            pending = None
        elif token.text == "}":
            if len(scopes) > 1 and scopes.pop() is not None:
                starts.append((index, None))
        elif scopes[-1] is None or before in (".", "(", ",") or index + 1 == len(found):
            continue
        elif token.text in TYPES and before != "import":
            following = found[index + 1].text
            if following in MEMBERS | {"override"} or not re.match(r"[\w`]", following):
                continue
            name = type_name(found, index)
            pending = f"{scopes[-1]}.{name}" if scopes[-1] else name
            starts.append((index, pending))
        elif token.text in MEMBERS and pending is None:
            following = found[index + 1].text
            name = token.text if token.text in ("init", "deinit", "subscript") else following
            starts.append((index, f"{scopes[-1]}.{name}" if scopes[-1] else name))
    starts.append((len(found), None))
    return [
        Member(path, source, name, found[start:end])
        for (start, name), (end, _) in zip(starts, starts[1:])
        if name is not None
    ]


class Sources:
    """The Swift files below some folders, taken apart once."""

    def __init__(self, root, folder="Sources"):
        self.members = []
        for path in sorted((root / folder).rglob("*.swift")):
            relative = str(path.relative_to(root))
            self.members += members(relative, path.read_text())

    def place(self, name, text):
        """The member called `name`, and the range in its file, whose code is `text`.

        `name` is `Type.member`, or `Module/Type.member` where two modules have one.
        """
        module, _, name = name.rpartition("/")
        pattern = [token.text for token in pieces(tokens(text))]
        homes = [m for m in self.members if f"/{module}" in "/" + m.path and m.is_called(name)]
        found = [(home, place) for home in homes for place in home.find(pattern)]
        if len(found) == 1:
            return found[0][0], *found[0][1]
        if found:
            lines = ", ".join(f"{home.path}:{home.line(place[0])}" for home, place in found)
            raise ValueError(f"{name} has it {len(found)} times: {lines}: {text!r}")
        raise ValueError(self.explanation(name, text, pattern, homes))

    def explanation(self, name, text, pattern, homes):
        """Why nothing was found, with what is most like it."""
        words = [f"searched in {name} for {text!r}"]
        elsewhere = [(m, place) for m in self.members for place in m.find(pattern)]
        words += [f"it is in {m.name}: {m.path}:{m.line(p[0])}" for m, p in elsewhere[:3]]
        if not homes:
            names = {member.name: member for member in self.members}
            near = difflib.get_close_matches(name, names, 3, 0.6)
            words.append(f"nothing is called {name}; near: {', '.join(near) or 'nothing'}")
        if not elsewhere:
            candidates = homes or self.members
            best = max(candidates, key=lambda m: likeness(m, pattern)[0], default=None)
            if best:
                start, end = likeness(best, pattern)[1]
                line = best.line(start)
                words.append(f"most like it, {best.path}:{line}: {best.source[start:end]!r}")
        return "\n    ".join(words)


def likeness(member, pattern):
    """How much of the pattern the most similar piece of a member has, and where that is."""
    count = min(len(pattern), len(member.tokens))
    best = (-1.0, (0, 0))
    wanted = set(pattern)
    for index in range(len(member.tokens) - count + 1):
        piece = member.tokens[index:index + count]
        share = len(wanted & {token.text for token in piece}) / len(wanted)
        if share > best[0]:
            best = (share, (piece[0].start, piece[-1].end))
    return best
