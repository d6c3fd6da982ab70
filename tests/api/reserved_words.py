"""The words that languages reserve, as their specifications list them: no identifier may be one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RESERVED: Final[Mapping[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        # ECMA-262, 12.7.2: reserved words, and those of strict code and modules.
        "JavaScript": "await break case catch class const continue debugger default delete do else enum "
        "export extends false finally for function if import in instanceof new null return "
        "super switch this throw true try typeof var void while with yield let static "
        "implements interface package private protected public arguments eval",
        # The words that TypeScript's scanner keeps from names of types, besides those of JavaScript.
        "TypeScript": "any bigint boolean never number object string symbol undefined unknown",
        # The Python Language Reference, 2.3.1, without soft keywords.
        "Python": "False None True and as assert async await break class continue def del elif else "
        "except finally for from global if import in is lambda nonlocal not or pass raise "
        "return try while with yield",
        # The Go Programming Language Specification, keywords.
        "Go": "break case chan const continue default defer else fallthrough for func go goto if "
        "import interface map package range return select struct switch type var",
        # The Java Language Specification, 3.9, and its literals.
        "Java": "abstract assert boolean break byte case catch char class const continue default do "
        "double else enum extends final finally float for goto if implements import "
        "instanceof int interface long native new package private protected public return "
        "short static strictfp super switch synchronized this throw throws transient try void "
        "volatile while true false null",
        # The C# language reference, keywords that are reserved everywhere.
        "C#": "abstract as base bool break byte case catch char checked class const continue "
        "decimal default delegate do double else enum event explicit extern false finally "
        "fixed float for foreach goto if implicit in int interface internal is lock long "
        "namespace new null object operator out override params private protected public "
        "readonly ref return sbyte sealed short sizeof stackalloc static string struct switch "
        "this throw true try typeof uint ulong unchecked unsafe ushort using virtual void "
        "volatile while",
        # The Rust Reference, strict and reserved keywords.
        "Rust": "as async await break const continue crate dyn else enum extern false fn for if impl "
        "in let loop match mod move mut pub ref return self Self static struct super trait "
        "true type unsafe use where while abstract become box do final gen macro override "
        "priv try typeof unsized virtual yield",
        # The Swift Programming Language, keywords of declarations, statements and expressions.
        "Swift": "associatedtype class deinit enum extension fileprivate func import init inout "
        "internal let open operator private precedencegroup protocol public rethrows static "
        "struct subscript typealias var break case catch continue default defer do else "
        "fallthrough for guard if in repeat return throw switch where while Any as await "
        "false is nil self Self super throws true try",
        # Kotlin's grammar, hard keywords.
        "Kotlin": "as break class continue do else false for fun if in interface is null object package "
        "return super this throw true try typealias typeof val var when while",
    }.items()
}


def reserving(name: str) -> list[str]:
    """Return the languages that reserve *name*."""
    return [language for language, words in RESERVED.items() if name in words]
