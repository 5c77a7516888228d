import { createHash, type Hash } from "node:crypto";
import { type Dictionary, parseDictionary } from "structured-headers";
import { AppError, invalidField } from "../../errors.ts";

/** The known algorithms of RFC 9530, with the length of their digests in bytes. Digests of all others are ignored. */
const ALGORITHMS: ReadonlyMap<string, { readonly hash: string; readonly bytes: number }> = new Map([
  ["sha-256", { hash: "sha256", bytes: 32 }],
  ["sha-512", { hash: "sha512", bytes: 64 }],
  ["sha", { hash: "sha1", bytes: 20 }],
  ["md5", { hash: "md5", bytes: 16 }],
]);

/** A digest that a request announces for its body. */
interface AnnouncedDigest {
  readonly header: string;
  readonly hash: string;
  readonly digest: Buffer;
}

/**
 * Refuses a body that is a part of a file or compressed, because it would be stored as if it were the file (request bodies, "Bodies and their
 * digests"). Throws VALIDATION_FAILED and UNSUPPORTED_MEDIA_TYPE.
 */
export function checkWholeBody({ headers }: Request): void {
  if (headers.has("content-range"))
    throw invalidField(
      "Content-Range",
      "Content-Range is not accepted: the server would take a part for the whole. Send the whole body, or use an upload in parts.",
    );
  const codings = (headers.get("content-encoding") ?? "").split(",").map((coding) => coding.trim().toLowerCase());
  if (codings.some((coding) => coding !== "" && coding !== "identity"))
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Content-Encoding is not accepted. Send the body as it is, without compression.");
}

/** Returns whether a request announces a digest of its body that the server verifies. Throws VALIDATION_FAILED if the header is malformed. */
export const announcesDigest = (request: Request): boolean => readDigests(request).length > 0;

/**
 * Passes on a body and verifies the digests that its request announces. The last chunk is passed on only if they match, so that no reader gets a
 * complete but wrong body. Throws VALIDATION_FAILED if a header is malformed, and FILE_DIGEST_MISMATCH.
 */
export function verifyDigests(request: Request, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const digests = readDigests(request);
  return digests.length === 0 ? chunks : holdLast(chunks, digests);
}

async function* holdLast(chunks: AsyncIterable<Uint8Array>, digests: readonly AnnouncedDigest[]): AsyncGenerator<Uint8Array> {
  const hashes = new Map<string, Hash>(digests.map(({ hash }) => [hash, createHash(hash)]));
  let last: Uint8Array | undefined;
  for await (const chunk of chunks) {
    for (const hash of hashes.values()) hash.update(chunk);
    if (last) yield last;
    last = chunk;
  }
  const found = new Map([...hashes].map(([name, hash]) => [name, hash.digest()]));
  for (const { header, hash, digest } of digests) if (!found.get(hash)?.equals(digest)) throw bodyDigestMismatch(header);
  if (last) yield last;
}

/** Returns the digests in `Content-Digest`, `Repr-Digest` and `Content-MD5`. For a whole, uncompressed body, all are digests of the same bytes. */
function readDigests({ headers }: Request): readonly AnnouncedDigest[] {
  const md5 = headers.get("content-md5")?.trim();
  const fields = ["Content-Digest", "Repr-Digest"].flatMap((header) => readField(header, headers.get(header)));
  if (md5 === undefined) return fields;
  const digest = Buffer.from(md5, "base64");
  if (digest.length !== 16 || digest.toString("base64") !== md5) throw malformed("Content-MD5", "the 16 bytes of an MD5 as base64");
  return [...fields, { header: "Content-MD5", hash: "md5", digest }];
}

function readField(header: string, value: string | null): AnnouncedDigest[] {
  if (value === null) return [];
  return [...parseField(header, value)].flatMap(([name, [item]]) => {
    const algorithm = ALGORITHMS.get(name);
    if (algorithm === undefined) return [];
    const digest = item instanceof ArrayBuffer ? Buffer.from(item) : undefined;
    if (digest?.length !== algorithm.bytes) throw malformed(header, `${name}=:BASE64: with the ${algorithm.bytes} bytes of the digest`);
    return [{ header, hash: algorithm.hash, digest }];
  });
}

function parseField(header: string, value: string): Dictionary {
  try {
    return parseDictionary(value);
  } catch {
    throw malformed(header, "a dictionary such as sha-256=:BASE64:");
  }
}

const malformed = (header: string, form: string): AppError =>
  invalidField(header, `${header} is malformed. Send ${form}, or omit the header.`);

const bodyDigestMismatch = (header: string): AppError =>
  new AppError("FILE_DIGEST_MISMATCH", `The body does not match its ${header}, and nothing was stored. Send it again.`);
