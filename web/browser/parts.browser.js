/**
 * Sends a large file in parts, several at the same time, each with its SHA-256. Retries after interruptions, and resumes after the page was
 * closed if the same file is chosen again. Loaded when such a file is sent.
 */

const { createRetry, lostConnection, newKey, Refusal, TemporaryFailure, toFailure } = await import("./retry.browser.js");

const PARALLEL_PARTS = 4;
const API = "/api/files/multipart";
/** Prefix of the stored key of an init whose response has not arrived. */
const PENDING_INIT = "init ";

/**
 * @typedef {object} PartsUpload
 * @property {Record<string, string>} settings Publish fields of the form.
 * @property {string} site The site's configured URL; the page may be open under another name.
 * @property {AbortSignal} signal Aborts the upload and deletes its parts.
 * @property {(bytes: number) => void} onSent Bytes sent so far. @property {(bytes: number) => void} onResumed Bytes stored before this attempt.
 * @property {(reason: string) => void} onWait Why the upload is paused; empty when it continues.
 */

/**
 * Resolves to the server's page. Rejects with a sentence for people, with an error named `Unreachable` if this browser cannot reach the store
 * that receives the parts, or with the signal's reason.
 * @param {File} file @param {PartsUpload} upload @returns {Promise<string>}
 */
export async function sendInParts(file, upload) {
  const { settings, signal } = upload;
  // The same file with other settings is another upload.
  const memory = `filehost ${JSON.stringify([file.name, file.size, file.lastModified, settings])}`;
  const retry = createRetry(upload);
  const key = newKey();
  const session = await retry(() => openSession(file, memory, { ...upload, key }));
  // Stops the other parts when one fails.
  const failing = new AbortController();
  try {
    await sendAll(file, session, { ...upload, signal: AbortSignal.any([signal, failing.signal]) });
    const page = await retry(() => complete(session.uploadId, signal));
    withStorage((storage) => storage.removeItem(memory));
    return page;
  } catch (error) {
    failing.abort();
    if (signal.aborted || error instanceof Refusal) {
      withStorage((storage) => storage.removeItem(memory));
      await ask(`${API}/abort`, { body: { uploadId: session.uploadId, key: session.key } }).catch(() => undefined);
    }
    throw error;
  }
}

/**
 * @typedef {object} Session
 * @property {string} uploadId @property {string} key @property {number} chunkSize Bytes. @property {number} totalParts
 * @property {Map<number, string>} stored Part number → SHA-256 of a stored part.
 */

/**
 * Returns the session remembered for the file, or a new one. The key of an init is remembered until its response arrives: if the response is
 * lost or the page closed, repeating the init returns the same session.
 * @param {File} file @param {string} memory @param {PartsUpload & { key: string }} upload @returns {Promise<Session>}
 */
async function openSession(file, memory, upload) {
  const remembered = withStorage((storage) => storage.getItem(memory)) ?? "";
  try {
    if (remembered.startsWith(PENDING_INIT)) await createSession(file, memory, { ...upload, key: remembered.slice(PENDING_INIT.length) });
    if (remembered !== "") return await findSession(withStorage((storage) => storage.getItem(memory)) ?? "", upload.signal);
  } catch (error) {
    // The session no longer exists.
    if (!(error instanceof Refusal)) throw error;
  }
  return await createSession(file, memory, upload);
}

/** Finds a session with its stored parts. @param {string} uploadId @param {AbortSignal} signal @returns {Promise<Session>} */
async function findSession(uploadId, signal) {
  const { data } = await ask(`${API}/${encodeURIComponent(uploadId)}`, { signal });
  return { ...data, stored: new Map(data.parts.map((/** @type {any} */ part) => [part.partNumber, part.sha256])) };
}

/** @param {File} file @param {string} memory @param {PartsUpload & { key: string }} upload @returns {Promise<Session>} */
async function createSession(file, memory, { settings, signal, key }) {
  withStorage((storage) => storage.setItem(memory, PENDING_INIT + key));
  const body = { ...settings, fileName: file.name, fileSize: file.size, fileType: file.type || undefined };
  const { data } = await ask(`${API}/init`, { body, signal, key });
  withStorage((storage) => storage.setItem(memory, data.uploadId));
  return { ...data, stored: new Map() };
}

/** @param {File} file @param {Session} session @param {PartsUpload} upload */
async function sendAll(file, session, upload) {
  const { chunkSize, totalParts, stored } = session;
  const { onSent, onResumed, signal } = upload;
  const retry = createRetry(upload);
  /** @type {Map<number, number>} Part number → bytes sent. */
  const sent = new Map();
  let doneBytes = 0;

  /** @param {number} number */
  const slice = (number) => file.slice((number - 1) * chunkSize, number * chunkSize);
  const report = () => onSent(doneBytes + [...sent.values()].reduce((sum, bytes) => sum + bytes, 0));

  /** Hashes the next parts while the parts before them are sent. @param {number} first */
  async function prepare(first) {
    const digests = /** @type {Record<string, string>} */ ({});
    for (let number = first; number < first + PARALLEL_PARTS && number <= totalParts; number += 1) {
      signal.throwIfAborted();
      const digest = await digestOf(slice(number));
      if (stored.get(number) !== digest) digests[number] = digest;
      else {
        doneBytes += slice(number).size;
        onResumed(doneBytes);
      }
    }
    if (Object.keys(digests).length === 0) return { digests, urls: {} };
    return { digests, urls: await retry(() => requestPartUrls(session, digests, signal)) };
  }

  /** @param {number} number @param {string} digest @param {string} firstUrl */
  async function sendPart(number, digest, firstUrl) {
    let url = firstUrl;
    await retry(async (attempt, onAlive) => {
      // The previous URL may have expired.
      if (attempt > 0) url = (await requestPartUrls(session, { [number]: digest }, signal))[number] ?? url;
      const target = toReachableUrl(url, upload.site);
      try {
        await put(target, slice(number), signal, (bytes) => {
          onAlive();
          sent.set(number, bytes);
          report();
        });
      } catch (error) {
        sent.delete(number);
        if (error instanceof TemporaryFailure && target.origin !== location.origin && doneBytes === 0 && attempt > 0) {
          throw Object.assign(new Refusal("This browser cannot reach the file store."), { name: "Unreachable" });
        }
        throw error;
      }
    });
    sent.delete(number);
    doneBytes += slice(number).size;
    report();
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
    // Sends the first part alone, which shows whether the store can be reached.
    const firstPart = one?.();
    if (doneBytes === 0) await firstPart;
    await Promise.all([firstPart, ...others.map((send) => send())]);
  }
}

/** @param {Session} session @param {Record<string, string>} partDigests @param {AbortSignal} signal @returns {Promise<Record<string, string>>} */
async function requestPartUrls({ uploadId, key }, partDigests, signal) {
  return (await ask(`${API}/batch-urls`, { body: { uploadId, key, partDigests }, signal })).urls;
}

/** @param {string} url @param {string} site */
function toReachableUrl(url, site) {
  const { origin, pathname, search } = new URL(url);
  return new URL(origin === new URL(site).origin ? pathname + search : url, location.href);
}

/** @param {string} uploadId @param {AbortSignal} signal */
async function complete(uploadId, signal) {
  const form = { method: "POST", body: new URLSearchParams({ uploadId }), headers: { Accept: "text/html" } };
  const response = await send("/uploads/complete", { ...form, signal });
  const html = await response.text().catch(() => {
    throw lostConnection();
  });
  if (response.ok) return html;
  const reason = new DOMParser().parseFromString(html, "text/html").querySelector("[data-message]")?.textContent;
  throw toFailure(response.status, response.headers.get("Retry-After"), reason);
}

/** @param {string} path @param {{ body?: unknown, signal?: AbortSignal, key?: string }} options `key`: an `Idempotency-Key`. @returns {Promise<any>} */
async function ask(path, { body, signal, key }) {
  const headers = {
    Accept: "application/json",
    ...(body ? { "Content-Type": "application/json" } : {}),
    ...(key ? { "Idempotency-Key": key } : {}),
  };
  const response = await send(path, { method: body ? "POST" : "GET", body: body ? JSON.stringify(body) : undefined, headers, signal });
  const json = await response.json().catch(() => undefined);
  if (!response.ok) throw toFailure(response.status, response.headers.get("Retry-After"), json?.error);
  if (json === undefined) throw lostConnection();
  return json;
}

/** @param {string} path @param {RequestInit} init */
async function send(path, init) {
  return await fetch(path, init).catch(() => {
    init.signal?.throwIfAborted();
    throw lostConnection();
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
    request.onload = () => (request.status < 300 ? resolve() : reject(partFailure(request, url)));
    request.onerror = () => reject(lostConnection());
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.open("PUT", url);
    // A type would add a Content-Type header, which a presigned URL does not allow.
    request.send(bytes.slice(0, bytes.size, ""));
  });
}

/** @param {XMLHttpRequest} request @param {URL} url */
function partFailure(request, url) {
  // The URL may have expired; the next try requests another.
  if (request.status === 403) return new TemporaryFailure("The server could not accept the upload. Try again.", "");
  // Reading a header that a store does not expose to this site logs an error in the console.
  const retryAfter = url.origin === location.origin ? request.getResponseHeader("Retry-After") : null;
  return toFailure(request.status, retryAfter, readReason(request.responseText));
}

/** The message of the server's error. @param {string} body */
function readReason(body) {
  try {
    return String(JSON.parse(body).error ?? "");
  } catch {
    return "";
  }
}

/** @param {Blob} bytes */
async function digestOf(bytes) {
  const read = await bytes.arrayBuffer().catch(() => {
    throw new Refusal("The file has changed or cannot be read. Choose it again.");
  });
  const digest = await crypto.subtle.digest("SHA-256", read);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns null if the browser does not allow storage. @param {(storage: Storage) => string | null | void} act */
function withStorage(act) {
  try {
    return act(localStorage);
  } catch {
    return null;
  }
}
