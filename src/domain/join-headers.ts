/** Headers of an answer as `undici` gives them, each as one text: what came several times is joined by commas. */
export function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) joined[name] = String(value);
  return joined;
}
