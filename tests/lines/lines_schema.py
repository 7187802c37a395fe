"""The schema of JSON lines, and what a line has against it. JSON Schema 2020-12, as much of it as the
document uses; an unknown keyword is a flaw."""

import json
import os
import re

FILE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reference", "json-lines.schema.json")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
ANNOTATIONS = {"description", "title", "$schema", "$id", "$defs", "$comment", "default", "contentEncoding"}
KNOWN = ANNOTATIONS | {"type", "enum", "const", "pattern", "minLength", "maxLength", "required", "properties",
                       "items", "additionalProperties", "minimum", "maximum", "minItems", "oneOf", "anyOf",
                       "not", "minProperties", "propertyNames"}


class Schema:
    def __init__(self, document):
        self.document = document
        self.methods = document["$defs"]["methods"]["properties"]

    @classmethod
    def load(cls):
        with open(FILE, encoding="utf-8") as file:
            return cls(json.load(file))

    def resolve(self, part):
        while isinstance(part, dict) and "$ref" in part:
            node = self.document
            for step in part["$ref"].lstrip("#/").split("/"):
                node = node[step]
            part = node
        return part

    @staticmethod
    def is_type(value, name):
        if name == "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        if name == "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        return isinstance(value, TYPES[name])

    def flaws(self, value, schema, where="line"):
        schema = self.resolve(schema)
        if schema is True:
            return
        if schema is False:
            yield f"{where}: nothing is permitted here"
            return
        if set(schema) - KNOWN:
            yield f"the checker does not know {set(schema) - KNOWN}"
        names = schema.get("type", [])
        names = [names] if isinstance(names, str) else names
        if names and not any(self.is_type(value, name) for name in names):
            yield f"{where}: {value!r} is not of type {names}"
            return
        if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
            yield f"{where}: {value!r} is not permitted"
        for keyword, least in (("oneOf", 1), ("anyOf", 1)):
            if keyword in schema:
                found = [list(self.flaws(value, one, where)) for one in schema[keyword]]
                fits = sum(not one for one in found)
                if fits < least or keyword == "oneOf" and fits > 1:
                    yield f"{where}: {fits} of {keyword} fit {str(value)[:200]}: {found}"
        if "not" in schema and not list(self.flaws(value, schema["not"], where)):
            yield f"{where}: {value!r} fits what is excluded"
        if isinstance(value, str):
            yield from self.text_flaws(value, schema, where)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                yield f"{where}: {value!r} is out of range"
        if isinstance(value, list):
            if len(value) < schema.get("minItems", 0):
                yield f"{where}: too few"
            for number, one in enumerate(value):
                yield from self.flaws(one, schema.get("items", True), f"{where}[{number}]")
        if isinstance(value, dict):
            yield from self.object_flaws(value, schema, where)

    @staticmethod
    def text_flaws(value, schema, where):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{where}: {value!r} does not match {schema['pattern']}"
        if len(value) < schema.get("minLength", 0) or len(value) > schema.get("maxLength", len(value)):
            yield f"{where}: {value[:100]!r} has a wrong length"

    def object_flaws(self, value, schema, where):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{where}: {name} is missing"
        if len(value) < schema.get("minProperties", 0):
            yield f"{where}: too few members"
        properties = schema.get("properties", {})
        for name, member in value.items():
            if "propertyNames" in schema:
                yield from self.flaws(name, schema["propertyNames"], f"{where}: name")
            yield from self.flaws(member, properties.get(name, schema.get("additionalProperties", True)),
                                  f"{where}.{name}")

    def request_flaws(self, message):
        yield from self.flaws(message, {"$ref": "#/$defs/request"})
        if "method" in message:
            if message["method"] not in self.methods:
                yield f"the schema has no method {message['method']}"
                return
            params = self.methods[message["method"]]["properties"]["params"]
            yield from self.flaws(message.get("params", {}), params, "params")

    def answer_flaws(self, message, method=None):
        yield from self.flaws(message, {"$ref": "#/$defs/line"})
        if "result" in message and method in self.methods:
            yield from self.flaws(message["result"], self.methods[method]["properties"]["result"], "result")
        if "event" in message:
            kinds = self.document["$defs"]["events"]["properties"]
            kind = message["event"].get("type")
            if kind not in kinds:
                yield f"the schema has no event {kind}"
            else:
                yield from self.flaws(message["event"], kinds[kind], "event")
