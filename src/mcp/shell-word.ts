/** Quotes a URL as one word of a shell's command. The URL may come from an untrusted server. */
export const toShellWord = (url: string): string => `'${new URL(url).href.replaceAll("'", "%27")}'`;
