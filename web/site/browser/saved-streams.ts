/** The streams of pages that the service worker gives to the browser as downloads (encryption, "On the page"). */
import { receiveStream } from "../../share/browser/decrypt/port-stream.ts";
import { DECRYPTED_PATH } from "../installed-site.ts";

interface SavedStream {
  readonly name: string;
  readonly port: MessagePort;
}

const streams = new Map<string, SavedStream>();

/** Keeps a stream that a page announces, and confirms it. Other messages only keep the worker running. */
export function keepStream({ data, ports: [port, ready] }: MessageEvent<Partial<SavedStream & { readonly id: string }>>): void {
  const { id, name } = data;
  if (id === undefined || name === undefined || !port) return;
  streams.set(id, { name, port });
  ready?.postMessage(true);
}

/** Returns the response with a stream that a page has announced; undefined for other URLs. A stream is returned once. */
export function findStream(url: string): Response | undefined {
  const { pathname } = new URL(url);
  const id = pathname.startsWith(DECRYPTED_PATH) ? pathname.slice(DECRYPTED_PATH.length) : "";
  const stream = streams.get(id);
  if (!stream) return undefined;
  streams.delete(id);
  const encoded = encodeURIComponent(stream.name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return new Response(receiveStream(stream.port), {
    headers: {
      // No browser opens this type.
      "Content-Type": "application/octet-stream",
      "Content-Disposition": `attachment; filename*=UTF-8''${encoded}`,
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
    },
  });
}
