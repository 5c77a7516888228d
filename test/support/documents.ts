import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

/** A fenced block of a document. */
export interface CodeBlock {
  /** The document, such as `docs/usage.md`. */
  readonly document: string;
  /** The nearest heading above it. */
  readonly heading: string;
  /** The language after the fence; empty if none is named. */
  readonly language: string;
  readonly text: string;
}

/** A heading, or a fenced block. */
const PARTS = /^#+ +(?<heading>.+)$|^(?<indent> *)(?<fence>```+)(?<language>.*)\n(?<body>[\s\S]*?)^\k<indent>\k<fence>$/gm;

/** All fenced blocks of README.md and docs/, in order. */
export const codeBlocks: readonly CodeBlock[] = ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT }).sort()].flatMap((document) =>
  blocksOf(document, readFileSync(join(ROOT, document), "utf8")),
);

function blocksOf(document: string, text: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = "";
  for (const { groups = {} } of text.matchAll(PARTS)) {
    heading = groups.heading ?? heading;
    if (groups.body === undefined) continue;
    const lines = groups.body.split("\n").map((line) => (line.startsWith(groups.indent ?? "") ? line.slice(groups.indent?.length) : line));
    blocks.push({ document, heading, language: groups.language?.trim() ?? "", text: lines.join("\n") });
  }
  return blocks;
}

/** Returns the blocks of a document below a heading. Throws if there is none. */
export function blocksBelow(document: string, heading: string): readonly CodeBlock[] {
  const found = codeBlocks.filter((block) => block.document === document && block.heading === heading);
  if (found.length === 0) throw new Error(`${document} has no block below "${heading}"`);
  return found;
}
