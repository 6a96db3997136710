"""The types of the Python client, generated from the OpenAPI document and the table of operations.

``python -m api.openapi.client_types`` writes ``arena/client/types.py``, a ``TypedDict`` per schema that
methods take or return, and ``arena/client/calls.pyi``, the signatures of the methods that are generated
from the table.
"""

from __future__ import annotations

import keyword
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from api.app import create_app
from api.openapi import document
from arena.operations import OPERATIONS
from arena.operations.operation import EVENT_STREAM, JSON, Operation, operation_id
from arena.ops.settings import Settings

FOLDER: Final = Path(__file__).parents[2] / "arena" / "client"
TYPES: Final = FOLDER / "types.py"
CALLS: Final = FOLDER / "calls.pyi"

_MADE: Final = "``python -m api.openapi.client_types`` makes this file, and a test compares it."

_TYPES_HEAD: Final = f'''"""The types of what the methods of the client take and return.

{_MADE}
"""

# ruff: noqa: E501

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict
'''

_CALLS_HEAD: Final = f'''"""The methods of the client that are made from the table of operations.

{_MADE}
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from arena.client.http import ServerEvent
from arena.client.operations import OperationCalls
from arena.client.types import (
    @names@
)

class Calls(OperationCalls):
'''

_PLAIN: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

Schema = Mapping[str, Any]


class _Field(NamedTuple):
    """A field or a parameter. ``kinds`` are the types of its values, none of them a union."""

    kinds: tuple[str, ...]
    required: bool


class _Writer:
    """Writes types from the schemas of a document. ``used`` holds the names of schemas in types so far."""

    def __init__(self, spec: Schema) -> None:
        self._spec = spec
        self._schemas: Mapping[str, Schema] = spec["components"]["schemas"]
        self.used: set[str] = set()
        self._inner: list[str] = []

    # Schemas

    def types(self) -> list[str]:
        """Return the definitions of the schemas used so far, and of those that they use, a base first."""
        definitions: dict[str, list[str]] = {}
        while missing := self.used - definitions.keys():
            for name in missing:
                definition = self._definition(name, self._schemas[name])
                definitions[name] = [*self._inner, definition]
                self._inner.clear()
        ordered: dict[str, list[str]] = {}

        def add(name: str) -> None:
            base = self._base(self._schemas[name])
            if base:
                add(base)
            ordered.setdefault(name, definitions[name])

        for name in self._schemas:
            if name in definitions:
                add(name)
        return [definition for found in ordered.values() for definition in found]

    def _definition(self, name: str, schema: Schema) -> str:
        if not self._is_object(schema):
            return f"{name}: TypeAlias = {self._type(schema, name)!r}"
        base = self._base(schema)
        if base:
            self.used.add(base)
        fields = {
            field: _union(one.kinds) if one.required else f"NotRequired[{_union(one.kinds)}]"
            for field, one in self._fields(schema["allOf"][1] if base else schema, name).items()
        }
        if any(map(keyword.iskeyword, fields)):
            return f"{name} = TypedDict({name!r}, {fields!r})"
        lines = [f"{field}: {one}" for field, one in fields.items()] or ["pass"]
        return "\n    ".join([f"class {name}({base or 'TypedDict'}):", *lines])

    def _base(self, schema: Schema) -> str | None:
        """Return the name of the schema that an object only adds fields to, if there is one."""
        match schema.get("allOf"):
            case [{"$ref": str(base)} as first, own] if (
                not self._fields(first).keys() & self._fields(own).keys()
            ):
                return base.rpartition("/")[2]
        return None

    def _is_object(self, schema: Schema) -> bool:
        """Return whether all values have the same fields."""
        if "allOf" in schema:
            return all(self._is_object(self._resolved(part)) for part in schema["allOf"])
        return "properties" in schema

    def _fields(self, schema: Schema, name: str = "") -> dict[str, _Field]:
        """Return the fields of objects: those of all alternatives, if there are any."""
        schema = self._resolved(schema)
        found: dict[str, _Field] = {}
        for part in schema.get("allOf", ()):
            found.update(self._fields(part, name))
        required = schema.get("required", ())
        for field, inner in schema.get("properties", {}).items():
            found[field] = _Field(tuple(self._alternatives(inner, name + _class(field))), field in required)
        choices = [self._fields(one, name) for one in schema.get("oneOf", ())]
        for field in dict.fromkeys(field for one in choices for field in one):
            having = [one[field] for one in choices if field in one]
            kinds = tuple(kind for one in having for kind in one.kinds)
            found[field] = _Field(kinds, len(having) == len(choices) and all(one.required for one in having))
        return found

    def _type(self, schema: Schema, name: str = "") -> str:
        """Return the type of the values of a schema. ``name`` is for a schema of objects that has none."""
        return _union(self._alternatives(schema, name))

    def _alternatives(self, schema: Schema, name: str) -> Iterator[str]:
        """Yield the types of the values, none of them a union."""
        if "$ref" in schema:
            found = schema["$ref"].rpartition("/")[2]
            self.used.add(found)
            yield found
        elif choices := schema.get("oneOf") or schema.get("anyOf"):
            for one in choices:
                yield from self._alternatives(one, name)
        elif len(schema.get("allOf", ())) == 1:
            yield from self._alternatives(schema["allOf"][0], name)
        elif "const" in schema or "enum" in schema:
            for value in schema.get("enum", [schema.get("const")]):
                yield "None" if value is None else f"Literal[{value!r}]"
        elif self._is_object(schema):
            self._inner.append(self._definition(name, schema))
            yield name
        else:
            kinds = schema.get("type", "any")
            for kind in [kinds] if isinstance(kinds, str) else kinds:
                yield self._kind(kind, schema, name)

    def _kind(self, kind: str, schema: Schema, name: str) -> str:
        if kind == "array":
            return f"list[{self._type(schema.get('items') or {}, name)}]"
        if kind == "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {self._type(values, name) if isinstance(values, dict) else 'object'}]"
        return _PLAIN.get(kind, "object")

    def _resolved(self, value: Schema) -> Schema:
        while "$ref" in value:
            found: Any = self._spec
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            value = found
        return value

    def fields_by_hand(self, name: str, operation: Operation) -> str:
        """Return the further fields of a method that is a function, for its ``**fields``."""
        fields = self._fields(self._body(operation))
        for one in operation.arguments:
            del fields[one]
        lines = [
            f"{field}: {_union([*kinds, *(['bytes'] if field in operation.files else [])])}"
            for field, (kinds, _) in fields.items()
        ]
        return "\n    ".join([f"class {_class(name)}Fields(TypedDict, total=False):", *lines])

    def _body(self, operation: Operation) -> Schema:
        found = self._spec["paths"][operation.path][operation.method.lower()]
        body: Schema = self._resolved(found["requestBody"])["content"][JSON]["schema"]
        return body

    def use_reply(self, operation: Operation) -> None:
        """Use the types of the reply to a method that is a function."""
        found = self._spec["paths"][operation.path][operation.method.lower()]
        for reply in found["responses"].values():
            content = self._resolved(reply).get("content", {})
            self._type(content.get(operation.media, {}).get("schema", {}))

    # Methods

    def method(self, name: str, operation: Operation) -> str:
        """Return the signature of the client's method of an operation."""
        item = self._spec["paths"][operation.path]
        found = item[operation.method.lower()]
        assert found["operationId"] == operation_id(name)
        fields = dict.fromkeys(operation.in_path, _Field(("str",), True))
        for one in map(self._resolved, found.get("parameters", ())):
            if one["in"] == "query" and not (operation.pages and one["name"] == "cursor"):
                kinds = tuple(self._alternatives(one["schema"], ""))
                fields[one["name"]] = _Field(kinds, one.get("required", False))
        if operation.has_body:
            fields.update(self._fields(self._body(operation)))
        if operation.media == EVENT_STREAM:
            fields["last_event_id"] = _Field(("str",), False)
        assert not any(map(keyword.iskeyword, fields)), name
        by_position = (*operation.in_path, *operation.arguments)
        first = [_parameter(one, fields.pop(one), operation) for one in by_position]
        named = [_parameter(one, field, operation) for one, field in fields.items()]
        parameters = ["self", *first, *(["*", *named] if named else [])]
        returned = self._returned(operation, found["responses"])
        return (
            f"    def {operation.client or name}({', '.join(parameters)}) -> {returned}:\n"
            f'        """{operation.summary}"""\n'
        )

    def _returned(self, operation: Operation, responses: Mapping[Any, Any]) -> str:
        if operation.status == 204:
            return "None"
        if operation.media not in (JSON, EVENT_STREAM):
            return "str"
        by_status = {str(status): one for status, one in responses.items()}
        schema = self._resolved(by_status[str(operation.status)])["content"][operation.media]["schema"]
        if operation.media == EVENT_STREAM:
            data = (one["properties"]["data"]["contentSchema"] for one in schema["oneOf"])
            kinds = (kind for one in data for kind in self._alternatives(one, ""))
            return f"Iterator[ServerEvent[{_union(kinds)}]]"
        member = operation.pages[0] if operation.pages else operation.result
        if member:
            schema = self._resolved(schema)["properties"][member]
        if operation.pages:
            return f"Iterator[{self._type(schema['items'])}]"
        nothing = ["None"] if 204 in operation.also else []
        return _union([*self._alternatives(schema, ""), *nothing])


def _class(field: str) -> str:
    return "".join(map(str.capitalize, field.split("_")))


def _union(kinds: Iterable[str]) -> str:
    """Return the types as one type, with one list of literals, and None at the end."""
    parts = list(dict.fromkeys(kinds))
    literals = [part for part in parts if part.startswith("Literal[")]
    values = ", ".join(part.removeprefix("Literal[").removesuffix("]") for part in literals)
    others = [part for part in parts if part not in (*literals, "None")]
    return " | ".join(
        [*others, *([f"Literal[{values}]"] if literals else []), *(["None"] if "None" in parts else [])]
    )


def _parameter(name: str, field: _Field, operation: Operation) -> str:
    kinds = [
        kind.replace("list[", "Sequence[", 1) if kind.startswith("list[") else kind for kind in field.kinds
    ]
    if any(kind.startswith("Literal['") for kind in kinds):
        # Editors propose the choices; a later service may have others.
        kinds.append("str")
    if field.required and name not in operation.defaults:
        return f"{name}: {_union(kinds)}"
    # In a change, None is a value; elsewhere the client leaves it out.
    is_change = operation.method == "PATCH"
    return f"{name}: {_union(kinds if is_change else [*kinds, 'None'])} = ..."


def written() -> dict[Path, str]:
    """Return the text of both files."""
    writer = _Writer(document(create_app(Settings(redis_url="unix:///nowhere"))))
    methods = [writer.method(name, one) for name, one in OPERATIONS.items() if not one.by_hand]
    head = _CALLS_HEAD.replace("@names@", ",\n    ".join(sorted(writer.used, key=str.lower)))
    by_hand = {name: one for name, one in OPERATIONS.items() if one.by_hand}
    fields = [writer.fields_by_hand(name, one) for name, one in by_hand.items() if one.has_body]
    for one in by_hand.values():
        writer.use_reply(one)
    types = "\n\n\n".join([_TYPES_HEAD.rstrip(), *writer.types(), *fields])
    return {
        TYPES: _formatted(types + "\n", TYPES.name),
        CALLS: _formatted(head + "\n".join(methods), CALLS.name),
    }


def _formatted(text: str, name: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", name, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
