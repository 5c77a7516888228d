/** Maximum length of a formatted text, in characters. The indentation of a text that is nested deep would be much longer than the text. */
const MAX_FORMATTED_CHARACTERS = 1024 ** 2;
const INDENT = "  ";
/** The characters that structure a JSON text. */
const STRUCTURE = "{}[],:";
const SPACE = " \t\n\r";

/** Returns whether a text is one JSON value by its media type or its extension. */
export const isJson = (name: string, contentType: string): boolean =>
  /^application\/(?:json|[\w.-]+\+json)\b/.test(contentType) || /\.(?:json|geojson|webmanifest)$/i.test(name);

/**
 * Writes each member and item of a JSON text on its own line. Changes only white space, so that large numbers and repeated names stay as they are.
 * Resolves to the text unchanged if it is not valid JSON, or would become too long. With `isCut`, the text is only a beginning, which is not checked.
 */
export async function formatJson(
  text: string,
  { isCut }: { readonly isCut: boolean },
  budget: { pause(): Promise<void> },
): Promise<string> {
  if (!isCut && !isValid(text)) return text;
  const formatted: string[] = [];
  let characters = 0;
  let depth = 0;
  let isOpened = false;
  let isClosed = false;
  const push = (...parts: readonly string[]): void => {
    for (const part of parts) characters += part.length;
    formatted.push(...parts);
  };
  const newLine = (): string => `\n${INDENT.repeat(depth)}`;
  for (const token of toTokens(text)) {
    const isClosing = token === "}" || token === "]";
    if (isClosing && !isOpened) {
      depth = Math.max(0, depth - 1);
      push(newLine());
    } else if (isOpened && !isClosing) {
      depth += 1;
      push(newLine());
    }
    isOpened = token === "{" || token === "[";
    // A beginning of a text may be many values, one on each line.
    if (isOpened && isClosed) push(newLine());
    isClosed = isClosing;
    if (token === ",") push(token, newLine());
    else push(token === ":" ? ": " : token);
    if (characters > MAX_FORMATTED_CHARACTERS) return text;
    await budget.pause();
  }
  return formatted.join("");
}

/** Divides a JSON text into strings, characters of its structure, and other words, without white space except between two words. */
function* toTokens(text: string): Generator<string> {
  let isAfterWord = false;
  let isSpaced = false;
  for (let at = 0; at < text.length; ) {
    const start = at;
    const first = text.charAt(at);
    at += 1;
    if (SPACE.includes(first)) {
      isSpaced = true;
      continue;
    }
    const isWord = !STRUCTURE.includes(first);
    if (isWord && isAfterWord && isSpaced) yield " ";
    isAfterWord = isWord;
    isSpaced = false;
    if (first === '"') at = findStringEnd(text, at);
    else if (!STRUCTURE.includes(first)) while (at < text.length && !isWordEnd(text.charAt(at))) at += 1;
    yield text.slice(start, at);
  }
}

/** Returns the position after the quote that closes a string; the end of the text without one. */
function findStringEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character === "\\") at += 1;
  }
  return text.length;
}

const isWordEnd = (character: string): boolean => character === '"' || STRUCTURE.includes(character) || SPACE.includes(character);

function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
