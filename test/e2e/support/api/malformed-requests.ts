import { setImmediate } from "node:timers/promises";
import { sendRaw } from "./raw-http.ts";

/** A route that receives or sends bytes. */
export interface ByteRoute {
  readonly method: "GET" | "PATCH" | "POST" | "PUT";
  readonly path: string;
  /** The kind of the body. */
  readonly kind: "form" | "json" | "bytes" | "none";
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates a generator of numbers from 0 to below `limit`, which repeats for the same seed (mulberry32). */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const HEADS = [
  'Content-Disposition: form-data; name="file"; filename="a.txt"',
  "Content-Disposition: form-data; name=file; filename=a",
  "Content-Disposition: form-data",
  'Content-Disposition: form-data; filename="a.txt"',
  'Content-Disposition: form-data; name=""',
  'Content-Disposition: form-data; name="ttl"',
  'Content-Disposition: form-data; name="__proto__"',
  'Content-Disposition: form-data; name="relativePath"',
  'Content-Disposition: form-data; name="shareShortId"',
  'Content-Disposition: form-data; name="a\0b"; filename="\\"',
  "Content-Disposition: form-data; name*=utf-8''%zz",
  "Content-Disposition: form-data; name=\"file\"; filename*=utf-8''%e6%97",
  "Content-Type: application/octet-stream",
  "Content-Transfer-Encoding: base64",
  ": x",
  "",
  `X: ${"x".repeat(90_000)}`,
];
const CONTENTS = ["", "a", "a\r\n--Bx\r\nb", "\r\n--B--\r\n", "\r\n", "--B", "\0", "\u00ff\u00fe", "x".repeat(70_000), "1h"];
const LINES = ["--B", "--B \t", "--Bx", "--B--", "--", ""];
const TYPES = [
  "multipart/form-data; boundary=B",
  'multipart/form-data; boundary="B"',
  "multipart/form-data",
  "multipart/form-data; boundary=",
  "text/plain",
  "multipart/form-data; boundary=B; boundary=C",
];
const JSONS = [
  "{}",
  "{",
  "null",
  "[]",
  '{"__proto__":{"a":1}}',
  '{"url":"http://127.0.0.1:1/"}',
  '{"url":5}',
  '{"fileName":"\\u0000","fileSize":-1}',
  "\u00ff",
  `[${"[".repeat(5000)}`,
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}',
  '{"delegationToken":{}}',
];
const HEADERS = [
  "X-Empty:",
  "Idempotency-Key: x",
  "Idempotency-Key:  ",
  "Authorization: Bearer \u00ff",
  "Cookie: =;;=",
  "Accept: text/html",
  "Accept: ,;q=",
  "X-Forwarded-For: ,,[",
  "Expect: 100-continue",
  "Range: bytes=9-1",
  "Range: bytes=0-0,-1,5-,a-b",
  "Range: bytes=0-99999999999999999999",
  "Content-Range: bytes 0-0/1",
  "Content-Digest: sha-256=:x:",
  "Repr-Digest: ;=",
  "Content-MD5: %",
  "X-Unlock-Code: \u00ff",
  "Forwarded: for=[;host=",
  "If-Modified-Since: -1",
  "Transfer-Encoding: gzip, chunked",
  "Content-Length: 1",
  "Content-Encoding: x",
  "Origin: null",
  "Accept-Language: ;q=x,,",
  "Mcp-Session-Id: \u00e9",
  "Referer: ::",
  'If-Match: "',
];

function toBody(kind: ByteRoute["kind"], random: (limit: number) => number): string {
  const pick = (from: readonly string[]): string => from[random(from.length)] ?? "";
  if (kind === "none" && random(4) > 0) return "";
  if (kind !== "form") return random(4) === 0 ? pick(CONTENTS) : pick(JSONS);
  let body = "";
  for (let parts = random(4); parts >= 0; parts -= 1) {
    const heads = Array.from({ length: 1 + random(2) }, () => pick(HEADS)).join(random(8) === 0 ? "\n" : "\r\n");
    body += `${random(5) === 0 ? pick(LINES) : "--B"}\r\n${heads}\r\n${random(8) === 0 ? "" : "\r\n"}${pick(CONTENTS)}\r\n`;
  }
  return body + (random(3) === 0 ? pick(LINES) : "--B--\r\n");
}

function toChunked(body: string, random: (limit: number) => number): string {
  const half = random(body.length + 1);
  const chunks = [body.slice(0, half), body.slice(half)].filter((chunk) => chunk !== "");
  const sizes = [
    (size: number) => size.toString(16),
    (size: number) => `${size.toString(16)};x=y`,
    () => "-1",
    () => "fffffffffffffffff",
    () => "zz",
    () => "",
  ];
  const size = (length: number): string => (random(4) === 0 ? (sizes[random(sizes.length)] ?? String)(length) : length.toString(16));
  return `${chunks.map((chunk) => `${size(chunk.length)}\r\n${chunk}\r\n`).join("")}${random(4) === 0 ? "" : "0\r\n\r\n"}`;
}

/** Makes a request that is malformed in some of its lines, its form, its chunks, or any of its bytes. */
function malformedRequest({ method, path, kind, headers = {} }: ByteRoute, seed: number): Buffer {
  const random = createRandom(seed);
  const body = toBody(kind, random);
  const type = kind === "form" ? (TYPES[random(3) === 0 ? random(TYPES.length) : 0] ?? "") : kind === "json" ? "application/json" : "x/y";
  const isChunked = random(3) === 0;
  const length = random(6) === 0 ? Math.max(0, body.length + random(9) - 4) : body.length;
  const lines = [
    `${method} ${path}${random(6) === 0 ? "?ttl=%00&%zz&=" : ""} HTTP/1.1`,
    `Host: ${random(12) === 0 ? ["%00", "[]", "", "a:99999"][random(4)] : "x"}`,
    "Connection: close",
    `Content-Type: ${type}`,
    isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(random(2) === 0 ? [HEADERS[random(HEADERS.length)] ?? ""] : []),
  ];
  const request = Buffer.from(`${lines.join("\r\n")}\r\n\r\n${isChunked ? toChunked(body, random) : body}`, "latin1");
  if (random(3) === 0) for (let n = random(4); n >= 0; n -= 1) request[random(request.length)] = random(256);
  return random(6) === 0 ? request.subarray(0, random(request.length + 1)) : request;
}

export interface Outcome {
  /** The number of requests with each status; 0: the connection was closed without a response. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The seeds of requests that got a 500. */
  readonly failed: readonly number[];
}

/** Sends requests of consecutive seeds, some simultaneously and in pieces. */
export async function sendMalformed(
  server: { readonly url: string },
  route: ByteRoute,
  { from, count, atOnce = 16 }: { readonly from: number; readonly count: number; readonly atOnce?: number },
): Promise<Outcome> {
  const statuses: Record<number, number> = {};
  const failed: number[] = [];
  let next = from;
  const send = async (): Promise<void> => {
    for (let seed = next++; seed < from + count; seed = next++) {
      const request = malformedRequest(route, seed);
      const cut = createRandom(seed)(request.length + 1);
      const { status } = await sendRaw(
        server,
        [request.subarray(0, cut), request.subarray(cut)].filter(({ length }) => length > 0),
        {
          endAfter: setImmediate,
          deadlineMs: 2000,
        },
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 500) failed.push(seed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  return { statuses, failed };
}
