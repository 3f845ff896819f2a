# SPDX-License-Identifier: Apache-2.0
# api/openapi/pages.py - the fields of each request as tables for people: operations.md.
import re

UNIT = re.compile(r"^((?:kg|rad|m|s|Hz|N|V|A|W|J|1/s)\b[^:]{0,24}?)(?:: |$)")
HEAD = """# Operations and the fields of their requests

Made by `generate.py` out of `schema/`: do not edit. A field in **bold** is required. `POST /v1/robots/{name}/OPERATION`, or
`POST /v1/OPERATION` where no robot takes part. Answers and everything nested deeper: `GET /openapi.json`, or `/docs` of a running service.
"""


class Page:
    def __init__(self, components):
        self.components = components

    def resolve(self, schema):
        """The schema that a $ref leads to, with the description beside it."""
        beside = {}
        while "$ref" in schema:
            beside = {**{key: value for key, value in schema.items() if key != "$ref"}, **beside}
            at = {"components": {"schemas": self.components}}
            for part in schema["$ref"].split("/")[1:]:
                at = at[int(part) if isinstance(at, list) else part]
            schema = at
        return {**schema, **beside}

    def type_of(self, schema):
        if "$ref" in schema:
            name = schema["$ref"].split("/")[3]
            target = self.components[name]
            plain = "properties" not in target and len(self.type_of(target)) < 24
            return self.type_of(self.resolve(schema)) if plain or schema["$ref"].count("/") > 3 else f"`{name}`"
        for word in ("oneOf", "anyOf"):
            if word in schema and "type" not in schema:
                return " or ".join(dict.fromkeys(self.type_of(one) for one in schema[word]))
        if "const" in schema:
            return f"`{schema['const']}`"
        if "enum" in schema:
            return ", ".join(f"`{word}`" for word in schema["enum"]) if len(schema["enum"]) <= 12 else "a word, below"
        kind = schema.get("type", "any")
        if isinstance(kind, list):
            return " or ".join(kind)
        if kind == "array":
            return f"array of {self.type_of(schema.get('items', {}))}"
        return kind

    def rows(self, schema, prefix=""):
        for name, one in schema.get("properties", {}).items():
            whole = self.resolve(one)
            text = whole.get("description", "")
            if text.startswith("Not used"):
                continue
            unit = UNIT.match(text)
            if unit:
                text = text[unit.end():]
            default = whole.get("default", "")
            needed = name in schema.get("required", [])
            label = f"**`{prefix}{name}`**" if needed else f"`{prefix}{name}`"
            cells = [label, self.type_of(one), unit[1] if unit else "", f"`{default}`" if default != "" else "", text]
            yield "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
            if not prefix and whole.get("type") == "object" and "$ref" not in one:
                yield from self.rows(whole, f"{name}.")


def operations_page(components, operations):
    page = Page(components)
    lines = [HEAD, "| operation | | may become a job |", "|---|---|---|"]
    lines += [f"| [`{each.name}`](#{each.name}) | {each.summary} | {'yes' if each.may_outlive else ''} |" for each in operations]
    for each in operations:
        lines += ["", f"## {each.name}", "", f"{each.summary}. Request: {', '.join(each.media['request'])}; answer: {', '.join(each.media['answer'])}.",
                  "", "| field | type | unit | default | |", "|---|---|---|---|---|"]
        lines += page.rows(components[f"{each.camel}Request"])
    lines += ["", "## Names of `include`", "", "Of `inverse-dynamics`, `forward-dynamics` and `terms`.", "", "| name | |", "|---|---|"]
    lines += [f"| `{name}` | {page.resolve(one).get('description', '')} |" for name, one in components["TermProperties"]["properties"].items()]
    return "\n".join(lines) + "\n"
