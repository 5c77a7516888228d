import { type StreamParser, StringStream } from "@codemirror/streamparser";
import { escapeHtml } from "./escape-html.ts";
import type { WorkBudget } from "./work-budget.ts";

/** The longest line with colors. The time for a line can grow with the square of its length. */
const MAX_LINE_CHARACTERS = 2_000;
const TAB_COLUMNS = 4;
const INDENT_COLUMNS = 2;
/** The number of calls of a parser without progress, after which the rest of the line has no colors. */
const MAX_IDLE_CALLS = 10;

/** The names that parsers give to tokens, by the classes of `preview.css`. */
const TOKENS: Readonly<Record<string, string>> = {
  k: "keyword controlKeyword operatorKeyword definitionKeyword moduleKeyword modifier self heading",
  s: "string character escape regexp url link quote",
  c: "comment lineComment blockComment docComment",
  n: "number integer float bool atom null literal unit color",
  t: "typeName className tagName tag namespace macroName",
  p: "propertyName property attributeName attribute labelName",
  m: "meta processingInstruction annotation documentMeta",
  i: "inserted",
  d: "deleted",
};
const CLASS_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(TOKENS).flatMap(([name, tokens]) => tokens.split(" ").map((token) => [token, name] as const)),
);

/**
 * Renders code as HTML with a class for each kind of token. Works line by line, so that no text blocks the event loop; when the budget is spent, the
 * rest has no colors.
 */
export async function highlight<State>(code: string, parser: StreamParser<State>, budget: WorkBudget): Promise<string> {
  const state = parser.startState?.(INDENT_COLUMNS) ?? ({} as State);
  const html: string[] = [];
  for (const line of code.split("\n")) {
    if (line.length > MAX_LINE_CHARACTERS || budget.isSpent) html.push(escapeHtml(line));
    else if (line === "") {
      parser.blankLine?.(state, INDENT_COLUMNS);
      html.push("");
    } else html.push(highlightLine(line, parser, state));
    await budget.pause();
  }
  return html.join("\n");
}

function highlightLine<State>(line: string, parser: StreamParser<State>, state: State): string {
  const stream = new StringStream(line, TAB_COLUMNS, INDENT_COLUMNS);
  let html = "";
  let idleCalls = 0;
  while (!stream.eol()) {
    stream.start = stream.pos;
    const style = parser.token(stream, state);
    if (stream.pos <= stream.start) {
      idleCalls += 1;
      if (idleCalls > MAX_IDLE_CALLS) return html + escapeHtml(line.slice(stream.start));
      continue;
    }
    idleCalls = 0;
    const text = escapeHtml(line.slice(stream.start, stream.pos));
    const name = style === null || style === undefined ? undefined : classOf(style);
    html += name === undefined ? text : `<span class="${name}">${text}</span>`;
  }
  return html;
}

/** Returns the class of a token's name, such as `string.special` or `keyword strong`. */
function classOf(style: string): string | undefined {
  for (const name of style.split(" ")) {
    const found = CLASS_OF.get(name.split(".", 1)[0] ?? "");
    if (found !== undefined) return found;
  }
  return undefined;
}
