import { createHash } from "node:crypto";
import type { OperationDefinition } from "../../contract/operation.ts";
import { AppError } from "../../errors.ts";
import { ApiError, type CallOptions, type ContractClient, createClient, readError } from "../../service/client.ts";
import { contract, definitionOf, type OperationName, type Output, type RequestInput } from "../../service/contract.ts";
import { parseOperationInput } from "../../service/parse-input.ts";
import type { StreamedForm } from "../upload-file/form-stream.ts";
import { discoverServer, type RemoteServer } from "./discover-server.ts";
import { fetchWithinLimits, type ResponseLimits, requestStream } from "./fetch-within-limits.ts";
import { readEvents } from "./read-events.ts";
import { retryWhileRateLimited } from "./retry-while-rate-limited.ts";
import { OTHER_VERSION, toServerError } from "./server-error.ts";

/** The operations of a filehost over HTTP, with the outputs and errors of a call in its process. */
export interface RemoteApi {
  /** Rejects with the server's error as an AppError, with UNAVAILABLE, or with the signal's reason. */
  call<Name extends OperationName>(name: Name, input: RequestInput<Name>, options?: CallOptions): Promise<Output<Name>>;
  /**
   * The events of an operation that has them, until the server ends the stream or sends nothing for a minute. Rejects as `call`; throws
   * UNAVAILABLE when the connection breaks.
   */
  listen<Name extends OperationName>(name: Name, input: RequestInput<Name>, options?: CallOptions): AsyncGenerator<EventOf<Name>>;
  /**
   * Calls an operation with a form that is made while it is sent, so that it cannot be repeated. Closes the form, however its request ends.
   * Rejects like `call`, and with UNAVAILABLE if the server refused a token that was replaced: another form can be sent then.
   */
  sendForm<Name extends OperationName>(name: Name, form: StreamedForm, options?: FormOptions): Promise<Output<Name>>;
  /** Rejects with UNAVAILABLE. */
  findHosts(): Promise<readonly string[]>;
  /** Rejects with UNAVAILABLE, RATE_LIMITED, or the signal's reason. */
  discoverServer(signal?: AbortSignal): Promise<RemoteServer>;
  /** Distinguishes servers and accounts, without the key. */
  identify(): string;
}

interface FormOptions extends CallOptions {
  /** Another one of the same server. */
  readonly url?: URL;
}

/** What one event of an operation has. */
type EventOf<Name extends OperationName> = Output<Name> extends AsyncIterable<infer Event> | undefined ? Event : never;

interface RemoteOptions {
  /** The address that the user named, without a slash at the end. */
  readonly url: string;
  /** Read for each call. Only sent to the API of this address. */
  readonly key: () => string | undefined | Promise<string | undefined>;
  /** A key in place of one that the server refused; undefined if there is no other. Default: there is none. */
  readonly renew?: (refused: string) => Promise<string | undefined>;
  /**
   * Receives why the API waits, or an empty text when the wait ends: the search for the server, and calls without a signal, wait as long as a server asks
   * that has had too many requests. Without it they fail; calls with a signal are repeated by their callers.
   */
  readonly onWait?: (reason: string) => void;
  readonly limits?: ResponseLimits;
  /** Distinguishes accounts: the key, or what stays while tokens are replaced. */
  readonly account: () => string;
}

/** The server is searched with the first call, and remembered when it was found. */
export function createRemoteApi({ url, key, renew, account, onWait, limits }: RemoteOptions): RemoteApi {
  let found: Promise<RemoteServer> | undefined;
  /** The key with which the server responded last. */
  let accepted: string | undefined;
  const wait = <T>(act: () => Promise<T>): Promise<T> => (onWait === undefined ? act() : retryWhileRateLimited(act, onWait));
  const find = (signal?: AbortSignal): Promise<RemoteServer> => {
    found ??= wait(() => discoverServer(url, limits)).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return untilAborted(found, signal);
  };
  return {
    discoverServer: find,
    findHosts: async () => (await find()).hosts,
    identify: () => createHash("sha256").update(`${url}\n${account()}`).digest("hex"),
    async call(name, input, options) {
      // Reports all wrong fields, as the server does, also those of paths and queries, which have no types there.
      parseOperationInput(definitionOf(name), input);
      const signal = options?.signal;
      const { apiUrl } = await find(signal);
      const send = (): Promise<unknown> => request(apiUrl, (client) => client.call(name, input, options), signal);
      return readOutput(name, await (signal === undefined ? wait(send) : send()));
    },
    async *listen(name, input, options) {
      parseOperationInput(definitionOf(name), input);
      const { apiUrl } = await find(options?.signal);
      const response = await request(
        apiUrl,
        (client) => client.open(name, input, options),
        options?.signal,
        (request) => requestStream(request, limits),
      );
      const { events } = contract[name] as OperationDefinition;
      for await (const data of readEvents(response, options?.signal)) {
        const parsed = events?.data.safeParse(data);
        if (!parsed?.success) throw unknownResponse();
        yield parsed.data as EventOf<typeof name>;
      }
    },
    async sendForm(name, form, options) {
      try {
        return await sendOpenForm(name, form, options);
      } finally {
        form.close();
      }
    },
  };

  async function sendOpenForm<Name extends OperationName>(
    name: Name,
    { contentType, body }: StreamedForm,
    { signal, url, idempotencyKey }: FormOptions = {},
  ): Promise<Output<Name>> {
    const { apiUrl } = await find();
    const target = url ?? new URL(apiUrl + contract[name].path);
    const headers = new Headers({ Accept: "application/json", "Content-Type": contentType });
    const sent = await findAcceptedKey(apiUrl, signal ?? undefined);
    if (sent !== undefined) {
      if (target.origin !== new URL(apiUrl).origin) throw new Error(`A key is only sent to ${new URL(apiUrl).origin}.`);
      headers.set("Authorization", `Bearer ${sent}`);
    }
    if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
    const response = await fetchWithinLimits(
      target,
      { method: "POST", headers, body, signal: signal ?? null, duplex: "half" } as RequestInit,
      limits,
    );
    if (response.status === 401 && sent !== undefined && (await renew?.(sent)) !== undefined)
      throw new AppError("UNAVAILABLE", "The server refused a token, which has been replaced. Run the command again.");
    if (!response.ok) throw toServerError(await readError(response));
    return readOutput(name, await response.json().catch(() => undefined));
  }

  /** The key of a form, which cannot be sent again with another: one that can be replaced is tried first. */
  async function findAcceptedKey(apiUrl: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const sent = await key();
    if (sent === undefined || renew === undefined || sent === accepted) return sent;
    await request(apiUrl, (client) => client.call("getMe", {}, { signal }), signal);
    return await key();
  }

  /** Sends a request with the key, and once more if that was replaced. */
  async function request<T>(
    apiUrl: string,
    send: (client: ContractClient) => Promise<T>,
    signal: AbortSignal | undefined,
    fetch: (request: Request) => Promise<Response> = (request) => fetchWithinLimits(request, {}, limits),
  ): Promise<T> {
    const sendWith = (key: string | undefined): Promise<T> =>
      send(createClient({ baseUrl: apiUrl, fetch, ...(key !== undefined && { key }) })).then(
        (response) => {
          accepted = key;
          return response;
        },
        (error: unknown) => {
          signal?.throwIfAborted();
          throw error instanceof ApiError ? toServerError(error) : error;
        },
      );
    const sent = await key();
    return await sendWith(sent).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
      if (sent === undefined) throw signInRequired(error);
      const renewed = await renew?.(sent);
      if (renewed === undefined) throw error;
      return await sendWith(renewed);
    });
  }

  function readOutput<Name extends OperationName>(name: Name, response: unknown): Output<Name> {
    const { envelope, output } = contract[name] as { envelope?: string; output: (typeof contract)[Name]["output"] };
    const parsed = output.safeParse(envelope === undefined ? response : (response as { data?: unknown } | undefined)?.data);
    if (parsed.success) return parsed.data as Output<Name>;
    if ((response as { secretsWithheld?: unknown } | undefined)?.secretsWithheld === true) throw withheld();
    throw unknownResponse();
  }

  /** In place of what the API advises its own callers. */
  function signInRequired(error: AppError): AppError {
    const reason = error.message.replace(/ Send .*$/s, "");
    return new AppError("UNAUTHENTICATED", `${reason} Sign in: filehost login ${url}`, { cause: error });
  }

  function unknownResponse(): AppError {
    return new AppError("UNAVAILABLE", `The server at ${url} sent a response that this version does not know. Install the same version.`, {
      cause: OTHER_VERSION,
    });
  }
}

/** The response to a request that another credential of the account made first (idempotency, "Secrets of a repeated response"). */
const withheld = (): AppError =>
  new AppError(
    "IDEMPOTENCY_KEY_REUSED",
    "This was begun with another key or sign-in of the account, which alone is given its secrets. Use that one, or begin anew.",
  );

/** Settles with `work`; rejects with the signal's reason when the signal aborts. */
const untilAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  signal === undefined
    ? work
    : new Promise((resolve, reject) => {
        const abort = (): void => reject(signal.reason);
        if (signal.aborted) abort();
        signal.addEventListener("abort", abort);
        work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
      });
