import MarkdownIt, { type Env, type Token } from "markdown-it";
import { escapeHtml } from "./escape-html.ts";
import { highlight } from "./highlight.ts";
import { findLanguage } from "./languages.ts";
import { splitMarkdown } from "./split-markdown.ts";
import type { WorkBudget } from "./work-budget.ts";

/** The longest paragraph with formatting. Longer ones are plain text, because rendering a paragraph cannot be interrupted. */
const MAX_PARAGRAPH_CHARACTERS = 16_000;
const TOKENS_PER_SLICE = 200;
/**
 * The largest number of characters in the addresses of all links together. It exceeds the text of any preview, but references can repeat one long
 * address.
 */
const MAX_ADDRESS_CHARACTERS = 1024 ** 2;
/** The deepest nesting of quotes, and twice that of lists. Each level reads its lines again, in one step. */
const MAX_NESTING = 32;
/** The allowed links. Other links have no target. */
const LINK = /^(?:https?:\/\/|mailto:)/i;

/** HTML in Markdown is shown as text, and images as their descriptions, so that nothing is loaded. */
const options = { html: false, linkify: false } as const;
const blocks = new MarkdownIt({ ...options, maxNesting: MAX_NESTING }).disable(["inline", "text_join"]);
const inlines = new MarkdownIt(options);
/** `- [ ] open` and `- [x] done` become boxes, in place of the bullets. */
blocks.core.ruler.after("block", "tasks", ({ tokens }) => {
  for (const [index, token] of tokens.entries()) {
    const item = tokens[index - 2];
    const [mark] = /^\[[ xX]\](?=\s)/.exec(token.content) ?? [];
    if (token.type !== "inline" || item?.type !== "list_item_open" || mark === undefined) continue;
    item.attrSet("class", "task");
    token.content = (mark === "[ ]" ? "☐" : "☑") + token.content.slice(mark.length);
  }
});
/** The alignment of a table's cell becomes a class, because the policy of previews allows no style in an attribute. */
blocks.core.ruler.after("block", "alignment", ({ tokens }) => {
  for (const token of tokens) {
    const [, side] = /^text-align:(left|right|center)$/.exec(String(token.attrGet("style") ?? "")) ?? [];
    if (token.attrs) token.attrs = token.attrs.filter(([name]) => name !== "style");
    if (side !== undefined) token.attrSet("class", side);
  }
});
blocks.validateLink = () => true;
inlines.validateLink = () => true;
inlines.renderer.rules.image = (tokens, index) => `<span class="image">${escapeHtml(tokens[index]?.content || "Image")}</span>`;
inlines.renderer.rules.link_open = (tokens, index, _options, env = {}) => {
  const url = String(tokens[index]?.attrGet("href") ?? "");
  const addressCharacters = Number(env.addressCharacters ?? 0) + url.length;
  env.addressCharacters = addressCharacters;
  return LINK.test(url) && addressCharacters <= MAX_ADDRESS_CHARACTERS
    ? `<a href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer nofollow ugc">`
    : "<a>";
};

/** A table that is too wide scrolls. */
inlines.renderer.rules.table_open = () => '<div class="scroll" tabindex="0"><table>\n';
inlines.renderer.rules.table_close = () => "</table></div>\n";
inlines.renderer.rules.fence = (tokens, index) => `<pre><code>${String(tokens[index]?.meta?.html ?? "")}</code></pre>\n`;

/**
 * Renders Markdown as HTML without scripts, forms, images or anything that loads. Works in slices, so that no text blocks the event loop for long;
 * when the budget is spent, the rest has less formatting or none.
 */
export async function renderMarkdown(markdown: string, budget: WorkBudget): Promise<string> {
  const env: Env = {};
  const tokens: Token[] = [];
  let plain = "";
  for (const [index, piece] of splitMarkdown(markdown).entries()) {
    if (index > 0 && budget.isSpent) plain += piece;
    else for (const token of blocks.parse(piece, env)) tokens.push(token);
    await budget.pause();
  }
  for (const token of tokens) {
    if (token.type === "inline") token.children = toInline(token, env, budget);
    else if (token.type === "fence") token.meta = { html: await toCode(token, budget) };
    await budget.pause();
  }
  const html: string[] = [];
  for (let start = 0; start < tokens.length; start += TOKENS_PER_SLICE) {
    html.push(inlines.renderer.render(tokens.slice(start, start + TOKENS_PER_SLICE), inlines.options, env));
    await budget.pause();
  }
  if (plain !== "") html.push(`<pre>${escapeHtml(plain)}</pre>`);
  return html.join("");
}

/** Renders a code block in the colors of its language, which its first line names. */
async function toCode({ content, info }: Token, budget: WorkBudget): Promise<string> {
  const parser = findLanguage(info.trim().split(/\s/, 1)[0] ?? "");
  return parser === undefined ? escapeHtml(content) : await highlight(content, parser, budget);
}

function toInline(token: Token, env: Env, budget: WorkBudget): Token[] {
  const isPlain = token.content.length > MAX_PARAGRAPH_CHARACTERS || budget.isSpent;
  if (!isPlain) return inlines.parseInline(token.content, env)[0]?.children ?? [];
  const text: Token = Object.assign(Object.create(token), { type: "text", children: null });
  return [text];
}
