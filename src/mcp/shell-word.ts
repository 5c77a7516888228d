/** A URL as one word of a shell's command. It may be that of another server, which is not trusted. */
export const toShellWord = (url: string): string => `'${new URL(url).href.replaceAll("'", "%27")}'`;
