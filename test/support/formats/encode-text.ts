const encoders = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Encodes a text as `TextDecoder` decodes it, in UTF-16 or an encoding of one or two bytes for a character. */
export function encodeText(encoding: string, text: string): Uint8Array<ArrayBuffer> {
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    const bytes = Buffer.from(text, "utf16le");
    return Uint8Array.from(encoding === "utf-16le" ? bytes : bytes.swap16());
  }
  const encoder = encoders.get(encoding) ?? createEncoder(encoding);
  encoders.set(encoding, encoder);
  return Uint8Array.from(
    [...text].flatMap((character) => {
      const bytes = encoder.get(character);
      if (bytes === undefined) throw new Error(`${encoding} has no ${character}`);
      return bytes;
    }),
  );
}

function createEncoder(encoding: string): ReadonlyMap<string, readonly number[]> {
  const encoder = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(encoding);
  const add = (bytes: readonly number[]): void => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== "\ufffd" && !encoder.has(text)) encoder.set(text, bytes);
  };
  for (let first = 0; first < 0x100; first += 1) add([first]);
  for (let first = 0x81; first < 0x100; first += 1) for (let second = 0x40; second < 0x100; second += 1) add([first, second]);
  return encoder;
}
