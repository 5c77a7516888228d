import { parseSync, Visitor } from "oxc-parser";

/** JSX attributes and members of objects that people read, or that are read to them. */
const READ_NAMES = new Set([
  "alt",
  "aria-label",
  "aria-description",
  "data-say",
  "description",
  "label",
  "placeholder",
  "problem",
  "title",
]);
const LETTERS = /\p{L}{2}/u;
/** A capital letter, and a second word. */
const SENTENCE = /^\s*\p{Lu}\p{L}*[’'’]?\p{L}*[,:]? +\p{L}/u;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

/**
 * Finds the texts in a source that people read: texts and values between JSX tags, the attributes and members of `READ_NAMES`, and all other
 * strings that look like a sentence, except those of errors that are thrown.
 */
export function findSentences(file: string, source: string): string[] {
  const found = new Map<number, string>();
  const thrown: { readonly start: number; readonly end: number }[] = [];
  const add = ({ start }: Node, text: string, pattern: RegExp): void => {
    if (pattern.test(text)) found.set(start, text.replace(/\s+/g, " ").trim());
  };
  /** Adds the strings that an expression may result in. */
  const addValues = (node: Node | null | undefined): void => {
    if (!node) return;
    if (node.type === "Literal" && typeof node.value === "string") add(node, node.value, LETTERS);
    if (node.type === "TemplateLiteral") add(node, textOf(node), LETTERS);
    for (const member of ["expression", "consequent", "alternate", "left", "right"]) {
      if (VALUE_MEMBERS[node.type]?.includes(member)) addValues(node[member] as Node);
    }
  };
  const visitor = new Visitor({
    JSXText: (node) => add(node as unknown as Node, node.value, LETTERS),
    JSXElement: ({ children }) => addContainers(children as unknown as Node[]),
    JSXFragment: ({ children }) => addContainers(children as unknown as Node[]),
    JSXAttribute: ({ name, value }) => {
      if (name.type === "JSXIdentifier" && READ_NAMES.has(name.name)) addValues(value as unknown as Node);
    },
    Property: ({ key, value }) => {
      const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? key.value : undefined;
      if (typeof name === "string" && READ_NAMES.has(name)) addValues(value as unknown as Node);
    },
    Literal: (node) => {
      if (typeof node.value === "string") add(node as unknown as Node, node.value, SENTENCE);
    },
    TemplateLiteral: (node) => add(node as unknown as Node, textOf(node as unknown as Node), SENTENCE),
    NewExpression: ({ callee, start, end }) => {
      if (callee.type === "Identifier" && callee.name === "Error") thrown.push({ start, end });
    },
  });
  const addContainers = (children: readonly Node[]): void => {
    for (const child of children) if (child.type === "JSXExpressionContainer") addValues(child);
  };
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  visitor.visit(program);
  return [...found].filter(([at]) => !thrown.some(({ start, end }) => start <= at && at < end)).map(([, text]) => text);
}

/** The members of an expression that are its possible values. */
const VALUE_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  JSXExpressionContainer: ["expression"],
  ParenthesizedExpression: ["expression"],
  ConditionalExpression: ["consequent", "alternate"],
  LogicalExpression: ["left", "right"],
  BinaryExpression: ["left", "right"],
};

/** The fixed texts of a template, with `…` in place of its values. */
const textOf = (template: Node): string =>
  (template.quasis as { readonly value: { readonly cooked: string | null } }[]).map(({ value }) => value.cooked ?? "").join("…");
