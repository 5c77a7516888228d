/** Sends one file, in the way that fits its size. Loaded when the first is sent. */

const { createRetry, failureOf, lostConnection, newKey } = await import("./retry.browser.js");

/** A file of one part has nothing to go on with. */
const IN_PARTS_FROM_BYTES = 16 * 1024 * 1024;

/**
 * Resolves to the page that the server answers; rejects with a sentence for people, or with what the signal says.
 * @param {string} action Of the form. @param {File} file @param {import("./parts.browser.js").PartsUpload} options @returns {Promise<string>}
 */
export async function sendFile(action, file, options) {
  // Digests need a secure context, which plain HTTP is not, beyond localhost.
  if (file.size <= IN_PARTS_FROM_BYTES || !globalThis.crypto?.subtle) return await sendWhole(action, file, options);
  const { sendInParts } = await import("./parts.browser.js").catch(() => {
    throw new Error("A part of this page could not be loaded. Check your connection, load the page again and choose the file once more.");
  });
  try {
    return await sendInParts(file, options);
  } catch (error) {
    if (!(error instanceof Error && error.name === "Unreachable")) throw error;
    return await sendWhole(action, file, options);
  }
}

/**
 * One request, as the form without a script sends it, under a key: it can be repeated after its answer was lost.
 * @param {string} action @param {File} file @param {import("./parts.browser.js").PartsUpload} options @returns {Promise<string>}
 */
async function sendWhole(action, file, options) {
  const key = keyOf(file, options.settings);
  return await createRetry(options)(async (_, onAlive) => {
    const { status, responseText, retryAfter } = await post(action, file, { ...options, key, onAlive });
    if (status < 300) return responseText;
    throw failureOf(status, retryAfter, reasonOf(responseText));
  });
}

/** @type {WeakMap<File, { settings: string, key: string }>} */
const keys = new WeakMap();

/** The same for a file that is sent again with the same settings, after its upload seemed to fail. @param {File} file @param {object} settings */
function keyOf(file, settings) {
  const text = JSON.stringify(settings);
  const known = keys.get(file);
  if (known?.settings === text) return known.key;
  const key = newKey();
  keys.set(file, { settings: text, key });
  return key;
}

/**
 * @param {string} action @param {File} file @param {import("./parts.browser.js").PartsUpload & { key: string, onAlive: () => void }} options
 * @returns {Promise<{ status: number, responseText: string, retryAfter: string | null }>}
 */
function post(action, file, { settings, signal, onSent, key, onAlive }) {
  // A signal that was given before tells no listener.
  signal.throwIfAborted();
  const body = new FormData();
  for (const [name, value] of Object.entries(settings)) body.append(name, value);
  body.append("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    request.upload.onprogress = (event) => {
      onAlive();
      onSent(event.loaded);
    };
    request.onload = () => {
      const { status, responseText } = request;
      resolve({ status, responseText, retryAfter: request.getResponseHeader("Retry-After") });
    };
    request.onerror = () => reject(lostConnection());
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.open("POST", action);
    request.setRequestHeader("Accept", "text/html");
    request.setRequestHeader("Idempotency-Key", key);
    request.send(body);
  });
}

/** The sentence of a message page, or of the JSON of an error; empty where there is none. @param {string} answer */
function reasonOf(answer) {
  const page = new DOMParser().parseFromString(answer, "text/html");
  const text = page.querySelector("[data-message]")?.textContent;
  if (text) return text;
  try {
    return String(JSON.parse(answer).error ?? "");
  } catch {
    return "";
  }
}
