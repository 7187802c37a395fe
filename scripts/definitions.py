"""Which names the sources define at namespace scope, found without a compiler: comments and strings
are blanked and braces are followed. Good enough to see a name that is defined twice."""

import re
import typing

TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:requires\s.*?)?(?:class|struct|union|enum(?:\s+class|\s+struct)?)\s+"
                  r"(?:\[\[.*?\]\]\s*|alignas\(.*?\)\s*)*(\w+)\s*(?:final\b\s*)?(?::(?!:).*)?$", re.S)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b\s*([\w:\s]*)$")
FUNCTION = re.compile(r"(?:^|[\s*&>])(~?\w+|operator\s*\S+?)\s*\($")
ALIAS = re.compile(r"^(?:template\s*<.*>\s*)?using\s+(\w+)\s*=", re.S)
VARIABLE = re.compile(r"^(?:[\w:<>,\s*&\[\]()]*?)[\s*&>](\w+)\s*(?:\[[^\]]*\]\s*)*$", re.S)
BLANKED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)


class Definition(typing.NamedTuple):
    line: int
    scope: str     # "talaria::link", with "(anonymous)" for an unnamed namespace
    kind: str      # type, alias, function, variable
    name: str
    signature: str  # of a function: its parameters; else empty


def blank(text):
    """The text with comments, string contents and directives blanked out, line by line as it was."""
    keep = lambda match: re.sub(r"[^\n]", " ", match[0])  # noqa: E731
    return DIRECTIVE.sub(keep, BLANKED.sub(keep, text))


def first_parenthesis(head):
    """Where the parameter list of a function's head begins, outside of template arguments, or -1."""
    depth = 0
    for index, char in enumerate(head):
        if char == "<":
            depth += 1
        elif char == ">" and head[index - 1] != "-":
            depth = max(0, depth - 1)
        elif char == "(" and depth == 0:
            return index
    return -1


def parameter_types(signature):
    """The parameters of a function without their names, so that overloads can be told apart."""
    parts, depth, part = [], 0, ""
    for char in signature + ",":
        depth += char in "<([{"
        depth -= char in ">)]}"
        if char == "," and depth <= 0:
            parts.append(part)
            part = ""
        else:
            part += char
    types = []
    for one in parts:
        one = re.sub(r"\bconst\b|&", " ", one.split("=")[0]).strip()
        types.append(" ".join(re.sub(r"(?<=[\s*>])[a-z_]\w*$", "", one).split()))
    return ", ".join(types)


def described(head, ends_with_brace):
    """(kind, name, signature) of what a statement at namespace scope defines, or None."""
    head = head.strip()
    if not head or head.startswith(("friend", "extern", "static_assert", "using namespace", "return")):
        return None
    alias = ALIAS.match(head)
    if alias:
        return "alias", alias[1], ""
    type_ = TYPE.match(head)
    if type_:
        return ("type", type_[1], "") if ends_with_brace else None
    if head.startswith("using "):
        return None
    bare = re.sub(r"^template\s*<[^{]*?>\s*(?=[\w\[])", "", head)
    equals = re.search(r"(?<![=!<>])=(?!=)", bare)
    opening = first_parenthesis(bare)
    if opening > 0 and (not equals or opening < equals.start()):
        name = FUNCTION.search(bare[:opening + 1])
        if name and ends_with_brace and not re.search(r"::\s*~?\w+\s*$", bare[:opening]):
            closing = bare.rfind(")")
            return "function", name[1], re.sub(r"\s+", " ", bare[opening + 1:closing]).strip()
        return None
    if equals or ends_with_brace:
        declarator = bare[:equals.start()] if equals else bare
        variable = VARIABLE.match(declarator.strip())
        if variable and not re.search(r"::\s*\w+\s*$", declarator.strip()):
            return "variable", variable[1], ""
    return None


def definitions(text):
    """Every Definition in the text of one file, in its order."""
    code = blank(text)
    scopes, found = [], []  # of scopes: the namespace's name, or None for any other brace
    start = line_start = 0
    depth = 0  # parentheses: a brace in them opens no scope of a statement
    for index, char in enumerate(code):
        if char == "(":
            depth += 1
        elif char == ")":
            depth = max(0, depth - 1)
        outside = all(scope is not None for scope in scopes)
        if char == "{":
            head = code[start:index].strip()
            name = NAMESPACE.match(head) if outside else None
            if outside and not name and depth == 0:
                what = described(head, True)
                if what:
                    at = code.count("\n", 0, start + len(code[start:index]) - len(code[start:index].lstrip())) + 1
                    found.append(Definition(at, "::".join(scopes), *what))
            scopes.append((name[1].replace(" ", "") or "(anonymous)") if name else None)
            if name or not outside:
                start = index + 1
        elif char == "}":
            if scopes:
                scopes.pop()
            if all(scope is not None for scope in scopes):
                # The end of a body, or of an initialiser that a semicolon still follows.
                start = index + 1
        elif char == ";" and outside and depth == 0:
            what = described(code[start:index], False)
            if what:
                at = code.count("\n", 0, start + len(code[start:index]) - len(code[start:index].lstrip())) + 1
                found.append(Definition(at, "::".join(scopes), *what))
            start = index + 1
    return found


CLASS = re.compile(r"\b(class|struct)\s+(?:\[\[.*?\]\]\s*)?(\w+)\s*(?:final\b\s*)?(?::(?!:)[^;{}()]*)?\{")
ACCESS = re.compile(r"\b(public|protected|private)\s*:(?!:)")


def matching_brace(code, opening):
    depth = 0
    for index in range(opening, len(code)):
        depth += code[index] == "{"
        depth -= code[index] == "}"
        if depth == 0:
            return index
    return len(code)


def public_functions(text):
    """(line, class, names) of every class in the text: its public member functions without
    constructors, destructors and operators, overloads too."""
    code = blank(text)
    for found in CLASS.finditer(code):
        closing = matching_brace(code, found.end() - 1)
        body, index = "", found.end()
        while index < closing:  # the body without what stands in inner braces
            if code[index] == "{":
                index = matching_brace(code, index)
                body += ";"
            else:
                body += code[index]
            index += 1
        parts = ACCESS.split(body)
        accesses = ["private" if found[1] == "class" else "public", *parts[1::2]]
        names = []
        for access, part in zip(accesses, parts[0::2]):
            for statement in part.split(";") if access == "public" else ():
                opening = first_parenthesis(statement)
                name = FUNCTION.search(statement[:opening + 1]) if opening > 0 else None
                before = statement[:opening]
                if (name and "=" not in before and "operator" not in before
                        and not re.search(r"\b(friend|using|typedef|static_assert|return)\b", before)
                        and name[1].lstrip("~") != found[2] and not name[1].startswith("~")):
                    names.append(name[1])
        yield code.count("\n", 0, found.start()) + 1, found[2], names
