import { DECRYPTED_PATH, SERVICE_WORKER_PATH } from "../../../site/installed-site.ts";
import { sendOverPort } from "./port-stream.ts";

/** The interval of messages that keep the service worker running while it saves a file. */
const KEEP_MS = 10_000;
/** The time for which the frame of a finished download stays, because the browser may still read from it. */
const FRAME_MS = 60_000;

/** The time in which the browser begins a download. A service worker that was ended meanwhile has lost the stream. */
const BEGIN_MS = 15_000;

/** Makes the browser save a stream as a file of any size. */
export interface DownloadWorker {
  /**
   * Resolves when all bytes were passed on. Rejects with the stream's error, with the signal's reason, with AbortError if the browser's download was
   * cancelled, or with an error if the browser does not begin the download.
   */
  save(name: string, body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void>;
}

/**
 * Starts the service worker that saves streams; undefined if the browser has none, as without HTTPS. The policy of the page allows a frame of this
 * site, whose response the service worker makes.
 */
export async function startDownloadWorker(): Promise<DownloadWorker | undefined> {
  if (!("serviceWorker" in navigator)) return undefined;
  try {
    const registration = await navigator.serviceWorker.register(SERVICE_WORKER_PATH, { updateViaCache: "none" });
    // An earlier version of the worker may be unable to save files.
    await registration.update();
    const worker = registration.installing ?? registration.waiting ?? registration.active;
    if (!worker) return undefined;
    await whenActivated(worker);
    return { save: (name, body, signal) => save(worker, name, body, signal) };
  } catch {
    return undefined;
  }
}

function whenActivated(worker: ServiceWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = (): void => {
      if (worker.state === "activated") resolve();
      else if (worker.state === "redundant") reject(new Error("The worker was replaced"));
    };
    worker.addEventListener("statechange", check);
    check();
  });
}

async function save(worker: ServiceWorker, name: string, body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  const [stream, ready] = [new MessageChannel(), new MessageChannel()];
  let begin: ReturnType<typeof setTimeout> | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    begin = setTimeout(() => reject(new Error("The browser did not begin the download")), BEGIN_MS);
    signal.addEventListener("abort", () => reject(signal.reason));
    const onCancel = (): void => reject(new DOMException("", "AbortError"));
    sendOverPort(notifyEnd(body, resolve), stream.port1, { onError: reject, onCancel, onPull: () => clearTimeout(begin) });
  });
  const id = crypto.randomUUID();
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.src = DECRYPTED_PATH + id;
  const isReady = new Promise((resolve) => {
    ready.port1.onmessage = resolve;
  });
  worker.postMessage({ id, name }, [stream.port2, ready.port2]);
  const timer = setInterval(() => worker.postMessage({}), KEEP_MS);
  try {
    await Promise.race([isReady, ended]);
    document.body.append(frame);
    await ended;
  } finally {
    clearTimeout(begin);
    clearInterval(timer);
    setTimeout(() => frame.remove(), FRAME_MS);
  }
}

/** Passes on a stream, and reports when it ends without an error. */
function notifyEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      controller.close();
      onEnd();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
