"""An answer that fits a JSON schema: known properties by their name, all others by their type."""

from typing import Any

from inforadar.simulator.ollama.scorer import Opinion

PLAIN_SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "number"},
        "relevant": {"type": "boolean"},
        "reason": {"type": "string"},
        "skills": {"type": "array", "items": {"type": "string"}},
    },
}
SCORES = ("score", "relevance", "fit", "rating")
REASONS = ("reason", "explanation", "why", "summary", "comment")


def fill(schema: Any, opinion: Opinion, name: str = "", root: Any = None) -> Any:
    """A value of the schema that says what the model thinks."""
    whole = schema if root is None else root
    plain = _resolved(schema, whole)
    if "const" in plain:
        return plain["const"]
    if plain.get("enum"):
        return _chosen(plain["enum"], opinion)
    kind = _kind(plain)
    if kind == "object":
        properties = plain.get("properties", {})
        return {key: fill(value, opinion, key, whole) for key, value in properties.items()}
    if kind == "array":
        return _listed(plain, opinion, name, whole)
    return _scalar(kind, plain, opinion, name.lower())


def _resolved(schema: Any, root: Any) -> dict[str, Any]:
    """A schema without references and alternatives: the first alternative that is not null."""
    if not isinstance(schema, dict):
        return {}
    if "$ref" in schema:
        target: Any = root
        for part in str(schema["$ref"]).lstrip("#/").split("/"):
            target = target.get(part, {}) if isinstance(target, dict) else {}
        return _resolved(target, root)
    for alternatives in (schema.get("anyOf"), schema.get("oneOf"), schema.get("allOf")):
        if alternatives:
            return _resolved(next((one for one in alternatives if one.get("type") != "null"), {}), root)
    return schema


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    if kind:
        return str(kind)
    return "object" if "properties" in schema else "array" if "items" in schema else "string"


def _listed(schema: dict[str, Any], opinion: Opinion, name: str, root: Any) -> list[Any]:
    items = schema.get("items", {})
    if "skill" in name.lower() and _kind(_resolved(items, root)) == "string":
        return list(opinion.skills)[: schema.get("maxItems", len(opinion.skills))]
    return [fill(items, opinion, name, root) for _ in range(schema.get("minItems", 0))]


def _scalar(kind: str, schema: dict[str, Any], opinion: Opinion, name: str) -> Any:
    if kind in ("number", "integer"):
        return _number(kind, schema, opinion, is_score=any(word in name for word in SCORES))
    if kind == "boolean":
        return opinion.is_relevant
    if kind == "null":
        return None
    text = opinion.reason if any(word in name for word in REASONS) else f"A {name or 'text'} in a few words."
    return text[: schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), ".")


def _number(kind: str, schema: dict[str, Any], opinion: Opinion, *, is_score: bool) -> float | int:
    low = float(schema.get("minimum", 0))
    high = float(schema.get("maximum", 100 if kind == "integer" else 1))
    value = low + (high - low) * opinion.score if is_score else low
    return round(value) if kind == "integer" else round(value, 4)


def _chosen(options: list[Any], opinion: Opinion) -> Any:
    """The last of the options for the best score, the first for the worst."""
    return options[min(int(opinion.score * len(options)), len(options) - 1)]
