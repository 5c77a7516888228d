/** The id in a share link (`https://…/d/4kTqW9xZ`), or the text itself. */
export function toId(text: string): string {
  return /\/d\/([^/?#]+)/.exec(text)?.[1] ?? text.trim();
}
