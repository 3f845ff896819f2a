# SPDX-License-Identifier: Apache-2.0
# api/openapi/schema.py - reads api/openapi/schema/*.schema, one line a field, into JSON Schema. The language: api/openapi/README.md.
import re

import yaml

TYPES = {"number": {"type": "number"}, "integer": {"type": "integer"}, "string": {"type": "string"}, "boolean": {"type": "boolean"},
         "null": {"type": "null"}, "time": {"type": "string", "format": "date-time"}, "array": {"type": "array"}, "any": {}}
NUMBER = r"-?(?:\d[\d.]*(?:[eE][+-]?\d+)?|inf)"
RANGE = re.compile(rf"([\[(])\s*({NUMBER})\s*,\s*({NUMBER})\s*([\])])")
COUNT = re.compile(r"(\d*)\.\.(\d*)|(\d+)")
WORD = re.compile(r'"[^"]*"|[^\s|\[\]()=#,]+')


class Fault(Exception):
    pass


class Line:
    """One line: its indentation, its code and its text; lines of text below it are joined to it."""

    def __init__(self, place, indent, code, text):
        self.place, self.indent, self.code, self.text = place, indent, code, text
        self.below = []  # Lines
        self.shape = None  # extents of an array, once read


def split_text(line):
    """Code and text around the first # that begins a word outside of quotes."""
    quote = False
    for i, char in enumerate(line):
        if char == '"':
            quote = not quote
        elif char == "#" and not quote and (i == 0 or line[i - 1] == " "):
            return line[:i].rstrip(), line[i + 1 :].strip()
    return line.rstrip(), None


def read_lines(path, name):
    """The tree of lines of a file: what is indented further belongs to the line above."""
    root = Line(name, -1, "", None)
    stack = [root]
    last, begun = None, ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            place = f"{name}:{number}"
            if "\t" in line:
                raise Fault(f"{place}: a tab")
            line = begun + (line.strip() if begun else line.rstrip("\n"))
            begun = ""
            if line.endswith("\\"):
                begun = line[:-1].rstrip() + " "
                continue
            code, text = split_text(line)
            if not code.strip():
                if last is None or last.code[0] in "+@":
                    raise Fault(f"{place}: text below nothing")
                last.text = f"{last.text} {text}" if last.text else text
                continue
            indent = len(code) - len(code.lstrip())
            while stack[-1].indent >= indent:
                stack.pop()
            last = Line(place, indent, code.strip(), text)
            stack[-1].below.append(last)
            stack.append(last)
    return root.below


def value_of(text):
    return yaml.safe_load(text)


def number_of(text):
    return None if text.endswith("inf") else value_of(text) if not re.search("[eE]", text) else float(text)


class Reader:
    """Reads one type out of the code of a line."""

    def __init__(self, schemas, line, code):
        self.schemas, self.line, self.code, self.unit, self.shape = schemas, line, code, None, None

    def fault(self, what):
        raise Fault(f"{self.line.place}: {what}: {self.line.code}")

    def skip(self):
        self.code = self.code.lstrip()

    def take(self, pattern):
        self.skip()
        found = re.match(pattern, self.code)
        if found:
            self.code = self.code[found.end() :]
        return found

    def word(self):
        self.skip()
        found = self.take(WORD)
        if not found:
            self.fault("a type is missing")
        return found[0]

    def whole(self):
        """type, then `= default`, `eg example`."""
        ret = self.either()
        if self.take(r"=\s"):
            found = re.search(r"\seg\s", self.code)
            end = found.start() if found else len(self.code)
            ret["default"] = value_of(self.code[:end])
            self.code = self.code[end:]
        if self.take(r"eg\s"):
            ret["examples"] = [value_of(self.code)]
            self.code = ""
        self.skip()
        if self.code:
            self.fault(f"not understood: {self.code}")
        return ret

    def either(self):
        parts = [self.one()]
        while self.take(r"or\b(?!\s*\])"):
            parts.append(self.one())
        if len(parts) == 1:
            return parts[0]
        of = [part.get("type") for part in parts]
        simple = all(isinstance(kind, str) and kind not in ("object", "array") for kind in of)
        if simple or (len(parts) == 2 and of[1] == "null" and isinstance(of[0], str)):
            ret = {}
            for part in parts:
                ret.update({key: value for key, value in part.items() if key != "type"})
            return {"type": of, **ret}
        return {"oneOf": parts}

    def one(self):
        ret = self.base()
        while True:
            self.skip()
            found = self.take(RANGE)
            if found:
                self.range(ret, found)
                continue
            found = self.take(r"\[([^\]]*)\]")
            if found:
                self.unit = found[1]
                continue
            found = self.take(r"<([^>]*)>")
            if found:
                self.shape = [extent.strip() for extent in found[1].split(" x ")]
                if ret.get("$ref") == reference("Tensors"):
                    ret["$ref"] = reference(f"Tensors{len(self.shape)}")
                continue
            found = self.take(r"/([^/]*)/")
            if found:
                ret["pattern"] = found[1]
                continue
            if ret.get("type") == "string" and "enum" not in ret:
                found = self.take(COUNT)
                if found:
                    self.count(ret, found, "minLength", "maxLength")
                    continue
            return ret

    def range(self, ret, found):
        low, high = number_of(found[2]), number_of(found[3])
        if low is not None:
            ret["minimum" if found[1] == "[" else "exclusiveMinimum"] = low
        if high is not None:
            ret["maximum" if found[4] == "]" else "exclusiveMaximum"] = high

    def count(self, ret, found, least, most):
        if found[3]:
            ret[least] = ret[most] = int(found[3])
            return
        if found[1]:
            ret[least] = int(found[1])
        if found[2]:
            ret[most] = int(found[2])

    def base(self):
        self.skip()
        if self.take(r"\["):
            ret = {"type": "array", "items": self.either()}
            if self.take(r"x\s"):
                self.count(ret, self.take(COUNT) or self.fault("a count is missing"), "minItems", "maxItems")
            if not self.take(r"\]"):
                self.fault("] is missing")
            return ret
        if self.take(r"raw\s"):
            ret = value_of(self.code)
            self.code = ""
            return ret
        if self.take(r"is\s"):
            return {"const": value_of(self.word())}
        if self.take(r"map of\s"):
            return {"type": "object", "additionalProperties": self.either()}
        if self.take(r"names of\s"):
            return {"enum": self.schemas.names_of(self.word(), self.line)}
        if self.take(r"file\s"):
            return {"type": "string", "contentMediaType": self.word()}
        found = self.take(r"(one|any) of\b")
        if found:
            return self.schemas.choice(self.line, f"{found[1]}Of")
        if self.take(r"open object\b"):
            return self.schemas.object(self.line, False)
        word = self.word()
        self.skip()
        if self.code.startswith("|"):
            return self.choices(word)
        if word == "object":
            return self.schemas.object(self.line, True)
        if word in TYPES:
            return dict(TYPES[word])
        if word[0].isupper():
            return {"$ref": reference(word)}
        return self.fault(f"no type: {word}")

    def choices(self, word):
        ret = [value_of(word)]
        while self.take(r"\|"):
            self.skip()
            if self.code and not self.code[0] in "]=":
                ret.append(value_of(self.word()))
        return {"enum": ret}


def reference(word):
    """Name, Name.field, Name.1.field (its second choice)."""
    first, *rest = word.split(".")
    path = [f"oneOf/{part}" if part.isdigit() else f"properties/{part}" for part in rest]
    return "/".join(["#/components/schemas", first] + path)


class Schemas:
    """All definitions of all files."""

    def __init__(self):
        self.lines = {}  # name: line of its definition, groups too
        self.operations = []  # lines
        self.groups = set()
        self.made = {}

    def load(self, path, name):
        for line in read_lines(path, name):
            found = re.match(r"operation\s+([a-z-]+)", line.code)
            if found:
                self.operations.append(line)
                continue
            found = re.match(r"(group\s+)?([A-Z]\w*)(?:\s*:\s*(.*))?$", line.code)
            if not found or (found[1] is None) == (found[3] is None):
                raise Fault(f"{line.place}: neither a definition nor an operation: {line.code}")
            if found[2] in self.lines:
                raise Fault(f"{line.place}: {found[2]} is defined in {self.lines[found[2]].place} too")
            self.lines[found[2]] = line
            if found[1]:
                self.groups.add(found[2])

    def definition(self, name, line):
        if name not in self.lines:
            raise Fault(f"{line.place}: there is no {name}")
        if name not in self.made:
            of = self.lines[name]
            code = "open object" if name in self.groups else of.code.split(":", 1)[1]
            self.made[name] = self.schema(of, code)
        return self.made[name]

    def names_of(self, name, line):
        return list(self.definition(name, line)["properties"])

    def schema(self, line, code):
        """JSON Schema of a line."""
        reader = Reader(self, line, code)
        ret = reader.whole()
        text = line.text
        if reader.shape is not None and len(reader.shape) > 1:
            shape = " x ".join(reader.shape)
            text = f"{text} ({shape})" if text else shape
        if reader.unit is not None:
            text = reader.unit + (f": {text}" if text else "")
        line.shape = reader.shape
        if text:
            ret["description"] = text
        for below in line.below:
            if below.code.startswith("+"):
                ret.update(value_of(below.code[1:]))
        return ret

    def choice(self, line, key):
        ret = []
        for below in line.below:
            if below.code.startswith("-"):
                ret.append(self.schema(below, below.code[1:]))
            elif below.code[0] not in "+@":
                raise Fault(f"{below.place}: a choice begins with -: {below.code}")
        return {key: ret}

    def object(self, line, is_closed):
        ret, properties, required = {"type": "object"}, {}, []
        for below in line.below:
            if below.code[0] in "+@":
                continue
            found = re.match(r"use\s+(\w+)(?:\s*:\s*(.*))?$", below.code)
            if found:
                self.use(below, found[1], found[2], properties, required)
                continue
            found = re.match(r"needs\s+(.*)$", below.code)
            if found:
                required += found[1].split()
                continue
            found = re.match(r"either\s+(.*)$", below.code)
            if found:
                ret["oneOf"] = [{"required": part.split()} for part in found[1].split("|")]
                continue
            found = re.match(r"([\w.-]+)(\??)\s*:\s*(.*)$", below.code)
            if not found:
                raise Fault(f"{below.place}: not a field: {below.code}")
            if found[1] in properties:
                raise Fault(f"{below.place}: {found[1]} is a field already")
            properties[found[1]] = self.schema(below, found[3])
            if not found[2]:
                required.append(found[1])
        if is_closed:
            ret["additionalProperties"] = False
        if required:
            ret["required"] = required
        if properties:
            ret["properties"] = properties
        return ret

    def use(self, line, name, only, properties, required):
        """The fields of another object, all or some of them."""
        other = self.definition(name, line)
        for field in re.split(r"[\s,]+", only.strip()) if only else other["properties"]:
            bare = field.rstrip("?")
            if bare not in other["properties"]:
                raise Fault(f"{line.place}: {name} has no {bare}")
            properties[bare] = other["properties"][bare]
            if bare in other.get("required", []) and not field.endswith("?"):
                required.append(bare)

    def components(self):
        return {name: self.definition(name, line) for name, line in self.lines.items() if name not in self.groups}
