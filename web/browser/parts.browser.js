/**
 * Sends a large file in parts, several at a time, each under its SHA-256: what broke off goes on by itself, and after the page was closed
 * too, when the same file is chosen again. Loaded only when such a file is sent.
 */

const PARALLEL_PARTS = 4;
const MOST_TRIES = 8;
const LONGEST_PAUSE_MS = 20_000;
const API = "/api/files/multipart";

/** Trying again would not help, as it may with `Trouble`. */
class Refusal extends Error {}
class Trouble extends Error {}

/**
 * @typedef {object} PartsUpload
 * @property {Record<string, string>} settings Publish fields, as the form has them.
 * @property {string} site The site's configured address; it may be open under another name.
 * @property {AbortSignal} signal Gives the upload up, and what has arrived with it.
 * @property {(bytes: number) => void} onSent Bytes of this file that are there. @property {(bytes: number) => void} onResumed … from before.
 * @property {(reason: string) => void} onWait Why nothing leaves for now; empty: it does again.
 */

/**
 * Resolves to the page that the server answers. Rejects with a sentence for people, or with the name `Unreachable` where parts go to a store
 * that this browser cannot send to; with whatever the signal says where that gave it up.
 * @param {File} file @param {PartsUpload} upload @returns {Promise<string>}
 */
export async function sendInParts(file, upload) {
  const { settings, signal } = upload;
  // Other settings make another upload. Names alone would mix up two files.
  const memory = `filehost ${JSON.stringify([file.name, file.size, file.lastModified, settings])}`;
  const session = await persist(upload, async () => (await findSession(memory, signal)) ?? (await beginSession(file, memory, upload)));
  // When one part fails for good, the others stop too: the next file's turn comes.
  const failing = new AbortController();
  try {
    await sendAll(file, session, { ...upload, signal: AbortSignal.any([signal, failing.signal]) });
    const page = await persist(upload, () => complete(session.uploadId, signal));
    kept((storage) => storage.removeItem(memory));
    return page;
  } catch (error) {
    failing.abort();
    if (signal.aborted || error instanceof Refusal) {
      kept((storage) => storage.removeItem(memory));
      await ask(`${API}/abort`, { body: { uploadId: session.uploadId, key: session.key } }).catch(() => undefined);
    }
    throw error;
  }
}

/**
 * @typedef {object} Session
 * @property {string} uploadId @property {string} key @property {number} chunkSize Bytes. @property {number} totalParts
 * @property {Map<number, string>} there Part number → SHA-256 of what has arrived.
 */

/** @param {string} memory @param {AbortSignal} signal @returns {Promise<Session | undefined>} */
async function findSession(memory, signal) {
  const uploadId = kept((storage) => storage.getItem(memory));
  if (!uploadId) return undefined;
  try {
    const { data } = await ask(`${API}/${encodeURIComponent(uploadId)}`, { signal });
    return { ...data, there: new Map(data.parts.map((/** @type {any} */ part) => [part.partNumber, part.sha256])) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    kept((storage) => storage.removeItem(memory));
    return undefined;
  }
}

/** @param {File} file @param {string} memory @param {PartsUpload} upload @returns {Promise<Session>} */
async function beginSession(file, memory, { settings, signal }) {
  const body = { ...settings, fileName: file.name, fileSize: file.size, fileType: file.type || undefined };
  const { data } = await ask(`${API}/init`, { body, signal });
  kept((storage) => storage.setItem(memory, data.uploadId));
  return { ...data, there: new Map() };
}

/** @param {File} file @param {Session} session @param {PartsUpload} upload */
async function sendAll(file, session, upload) {
  const { chunkSize, totalParts, there } = session;
  const { onSent, onResumed, signal } = upload;
  /** @type {Map<number, number>} Part number → bytes that have left. */
  const sent = new Map();
  let doneBytes = 0;

  /** @param {number} number */
  const slice = (number) => file.slice((number - 1) * chunkSize, number * chunkSize);
  const tell = () => onSent(doneBytes + [...sent.values()].reduce((sum, bytes) => sum + bytes, 0));

  /** Hashes what comes next, while the parts before it are under way. @param {number} first */
  async function prepare(first) {
    const digests = /** @type {Record<string, string>} */ ({});
    for (let number = first; number < first + PARALLEL_PARTS && number <= totalParts; number += 1) {
      signal.throwIfAborted();
      const digest = await digestOf(slice(number));
      if (there.get(number) !== digest) digests[number] = digest;
      else {
        doneBytes += slice(number).size;
        onResumed(doneBytes);
      }
    }
    if (Object.keys(digests).length === 0) return { digests, urls: {} };
    return { digests, urls: await persist(upload, () => addressesOf(session, digests, signal)) };
  }

  /** @param {number} number @param {string} digest @param {string} firstUrl */
  async function sendPart(number, digest, firstUrl) {
    let url = firstUrl;
    await persist(upload, async (attempt) => {
      // The one before may have lapsed.
      if (attempt > 0) url = (await addressesOf(session, { [number]: digest }, signal))[number] ?? url;
      const target = atThisSite(url, upload.site);
      try {
        await put(target, slice(number), signal, (bytes) => {
          sent.set(number, bytes);
          tell();
        });
      } catch (error) {
        sent.delete(number);
        if (error instanceof Trouble && target.origin !== location.origin && doneBytes === 0 && attempt > 0) {
          throw Object.assign(new Refusal("The store cannot be reached from this browser."), { name: "Unreachable" });
        }
        throw error;
      }
    });
    sent.delete(number);
    doneBytes += slice(number).size;
    tell();
  }

  let next = prepare(1);
  for (let first = 1; first <= totalParts; first += PARALLEL_PARTS) {
    const { digests, urls } = await next;
    if (first + PARALLEL_PARTS <= totalParts) {
      next = prepare(first + PARALLEL_PARTS);
      next.catch(() => undefined);
    }
    const [one, ...others] = Object.entries(digests).map(
      ([number, digest]) =>
        () =>
          sendPart(Number(number), digest, urls[number] ?? ""),
    );
    // Whether a store can be reached is seen by one part, not by all that would leave at once.
    const begun = one?.();
    if (doneBytes === 0) await begun;
    await Promise.all([begun, ...others.map((send) => send())]);
  }
}

/** @param {Session} session @param {Record<string, string>} partDigests @param {AbortSignal} signal @returns {Promise<Record<string, string>>} */
async function addressesOf({ uploadId, key }, partDigests, signal) {
  return (await ask(`${API}/batch-urls`, { body: { uploadId, key, partDigests }, signal })).urls;
}

/** @param {string} url @param {string} site */
function atThisSite(url, site) {
  const { origin, pathname, search } = new URL(url);
  return new URL(origin === new URL(site).origin ? pathname + search : url, location.href);
}

/** @param {string} uploadId @param {AbortSignal} signal */
async function complete(uploadId, signal) {
  const form = { method: "POST", body: new URLSearchParams({ uploadId }), headers: { Accept: "text/html" } };
  const answer = await reach("/uploads/complete", { ...form, signal });
  const html = await answer.text();
  if (answer.ok) return html;
  throw failureOf(answer.status, new DOMParser().parseFromString(html, "text/html").querySelector("[data-message]")?.textContent);
}

/** @param {string} path @param {{ body?: unknown, signal?: AbortSignal }} options @returns {Promise<any>} */
async function ask(path, { body, signal }) {
  const headers = { Accept: "application/json", ...(body ? { "Content-Type": "application/json" } : {}) };
  const answer = await reach(path, { method: body ? "POST" : "GET", body: body ? JSON.stringify(body) : undefined, headers, signal });
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw failureOf(answer.status, json.error);
  return json;
}

/** @param {string} path @param {RequestInit} init */
async function reach(path, init) {
  return await fetch(path, init).catch((error) => {
    init.signal?.throwIfAborted();
    throw new Trouble(String(error));
  });
}

/** @param {URL} url @param {Blob} bytes @param {AbortSignal} signal @param {(bytes: number) => void} onProgress @returns {Promise<void>} */
function put(url, bytes, signal, onProgress) {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onload = () => (request.status < 300 ? resolve() : reject(failureOf(request.status)));
    request.onerror = () => reject(new Trouble("The connection broke off."));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.open("PUT", url);
    // A type of its own would be a header that the address does not know.
    request.send(bytes.slice(0, bytes.size, ""));
  });
}

/** @param {number} status @param {string | null} [reason] */
function failureOf(status, reason) {
  const mayPass = status === 403 || status === 408 || status === 429 || (status >= 500 && status !== 507);
  return new (mayPass ? Trouble : Refusal)(reason || "The server could not take the upload. Please try again.");
}

/**
 * Tries again what may help itself, for about a minute and as long as the browser is offline.
 * @template Result @param {Pick<PartsUpload, "signal" | "onWait">} upload @param {(attempt: number) => Promise<Result>} act
 */
async function persist({ signal, onWait }, act) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await act(attempt);
      if (attempt > 0) onWait("");
      return result;
    } catch (error) {
      if (!(error instanceof Trouble) || attempt + 1 >= MOST_TRIES) throw error;
      onWait("The connection is lost. This goes on by itself…");
      await pause(Math.min(LONGEST_PAUSE_MS, 500 * 2 ** attempt), signal);
    }
  }
}

/** Ends sooner when the network is back. @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    addEventListener("online", () => resolve(), { once: true });
    if (navigator.onLine) setTimeout(resolve, ms);
  });
}

/** @param {Blob} bytes */
async function digestOf(bytes) {
  const read = await bytes.arrayBuffer().catch(() => {
    throw new Refusal("The file has changed, or cannot be read any more. Choose it again.");
  });
  const digest = await crypto.subtle.digest("SHA-256", read);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A browser may keep nothing. @param {(storage: Storage) => string | null | void} act */
function kept(act) {
  try {
    return act(localStorage);
  } catch {
    return null;
  }
}
