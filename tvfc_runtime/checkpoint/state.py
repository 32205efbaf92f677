"""What a query keeps in its checkpoint, as its job describes it, and in what two such differ.

A description is a list of parts, plain JSON: the version of its form, then operators and sinks,
each with its facts. Facts that are numbers under `of`, `rows` and `tables` are places in the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

Part = dict[str, Any]

KINDS = ("operator", "sink", "function", "version")
PLACES = ("of", "rows", "tables")


def differences(old: Sequence[Part], new: Sequence[Part]) -> list[str]:
    """In words, what is kept otherwise; nothing if both keep the same."""
    if old == new:
        return []
    if old[:1] != new[:1]:
        was, now = old[0]["version"], new[0]["version"]
        return [f"its state is described in version {was}, that of this job in version {now}"]
    found = list(_differences(_readable(old), _readable(new)))
    return found or ["operators read from each other otherwise"]


def _differences(old: Sequence[Part], new: Sequence[Part]) -> Iterator[str]:
    names, others = list(map(_name, old)), list(map(_name, new))
    matcher = SequenceMatcher(None, names, others, autojunk=False)
    for change, first, end, other, other_end in matcher.get_opcodes():
        if change == "equal":
            for was, now in zip(old[first:end], new[other:other_end], strict=True):
                yield from (f"{was['title']}: {each}" for each in _changed(was, now))
            continue
        yield from (f"{each['title']} is gone" for each in old[first:end])
        yield from (f"{each['title']} is new" for each in new[other:other_end])


def _name(part: Part) -> tuple[Any, ...]:
    """What a part is found again by."""
    return tuple(part.get(key) for key in (*KINDS[:-1], "name"))


def _readable(parts: Sequence[Part]) -> list[Part]:
    """Parts with a title each, and with titles for places."""
    titles: list[str] = []
    below: list[list[str]] = []
    found: list[Part] = []
    for part in parts:
        read = [place for place in _places(part) if place < len(titles)]
        sources = [part["name"]] if "name" in part else []
        sources += [name for place in read for name in below[place] if not sources]
        below.append(list(dict.fromkeys(sources)))
        titles.append(_title(part, below[-1]))
        found.append({"title": titles[-1], **_with_titles(part, titles)})
    return found


def _title(part: Part, sources: list[str]) -> str:
    kind = next(each for each in KINDS if each in part)
    if kind != "operator":
        return f"the {kind} {part[kind]}"
    return f"the {part[kind]} {'' if 'name' in part else 'of '}{' and '.join(sources)}"


def _places(facts: Mapping[str, Any]) -> Iterator[int]:
    for key, fact in facts.items():
        if key in PLACES:
            yield from _numbers(fact)
        elif isinstance(fact, list):
            for each in fact:
                if isinstance(each, dict):
                    yield from _places(each)


def _numbers(fact: Any) -> list[int]:
    if isinstance(fact, int):
        return [fact]
    return list(fact.values() if isinstance(fact, dict) else fact)


def _with_titles(facts: Mapping[str, Any], titles: list[str]) -> Part:
    return {key: _fact_with_titles(key, fact, titles) for key, fact in facts.items()}


def _fact_with_titles(key: str, fact: Any, titles: list[str]) -> Any:
    if key in PLACES and isinstance(fact, int) and fact < len(titles):
        return titles[fact]
    if isinstance(fact, dict):
        return {each: _fact_with_titles(key, value, titles) for each, value in fact.items()}
    if isinstance(fact, list):
        return [
            _with_titles(each, titles)
            if isinstance(each, dict)
            else _fact_with_titles(key, each, titles)
            for each in fact
        ]
    return fact


def _changed(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """What differs in the facts of a part."""
    for key in dict.fromkeys([*was, *now]):
        if key != "title":
            yield from _changed_fact(key, was.get(key), now.get(key))


def _changed_fact(key: str, was: Any, now: Any) -> Iterator[str]:
    if was == now:
        return
    match was, now:
        case dict(), dict():
            yield from (f"{key}: {each}" for each in _changed(was, now))
        case list(), list() if len(was) == len(now) and sorted(map(repr, was)) != sorted(
            map(repr, now)
        ):
            for place, (one, other) in enumerate(zip(was, now, strict=True), 1):
                named = key if len(was) == 1 else f"{key}, {place} of {len(was)},"
                yield from _changed_fact(named, one, other)
        case list(), list() if all(isinstance(each, str) for each in (*was, *now)):
            gone, more = Counter(was) - Counter(now), Counter(now) - Counter(was)
            yield from (f"{key} had {_shown(each)}, which is gone" for each in gone)
            yield from (f"{key} has {_shown(each)}, which is new" for each in more)
            if not gone and not more:
                yield f"{key} was {_shown(was)}, in this order, is {_shown(now)}"
        case None, _:
            yield f"{key} is new: {_shown(now)}"
        case _, None:
            yield f"{key} was {_shown(was)}, is gone"
        case _:
            yield f"{key} was {_shown(was)}, is {_shown(now)}"


def _shown(fact: Any) -> str:
    if isinstance(fact, list):
        return ", ".join(map(_shown, fact))
    if isinstance(fact, dict):
        return ", ".join(f"{key} {_shown(value)}" for key, value in fact.items())
    return f"`{fact}`"
