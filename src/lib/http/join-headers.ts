/** Converts response headers of `undici` to one text each; repeated headers are joined by commas. */
export function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) joined[name] = String(value);
  return joined;
}
