/** The addresses in a text that a person wrote or pasted, such as `Ada <ada@example.org>, grace@example.org`. */
export interface ParsedAddresses {
  readonly addresses: readonly string[];
  /** The first part that is no address; undefined if there is none. */
  readonly wrong: string | undefined;
}

/** Splits a text at commas, semicolons, lines and spaces. Each address appears once. */
export function parseAddresses(text: string): ParsedAddresses {
  const parts = text
    .split(/[,;\n\r]+/)
    .flatMap((part) => /<([^<>\s]+)>/.exec(part)?.[1] ?? part.split(/\s+/))
    .filter((part) => part !== "");
  return {
    addresses: [...new Set(parts.map((part) => part.toLowerCase()))],
    wrong: parts.find((part) => !ADDRESS.test(part)),
  };
}

const ADDRESS = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]+$/;
