/** Calls operations of this site's API. Only their types come from the contract, because pages load none of its definitions. */
import { errors as texts } from "#texts/site";
import type { OperationAt, OperationName, RequestInput, ResponseOf, RouteOf } from "../../../src/service/contract.ts";
import type { Language } from "../../texts/languages.ts";
import { errorText, type ShownError } from "../error-text.ts";

/** The body of a response that may be an error. */
export type ErrorJson = Partial<ShownError> & { readonly error?: unknown };

/** The server's refusal; its message is a sentence for people. */
export class ApiRefusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

/** Whether the server refuses because buyers would lose what they paid for, which `force` allows (selling, "What buyers keep"). */
export const hasBuyers = (error: unknown): boolean => error instanceof ApiRefusal && error.code === HAS_BUYERS;

export const HAS_BUYERS = "HAS_BUYERS";

type ReadonlyList<Value> = Value extends (infer Element)[] ? readonly Element[] : Value;

/** The input of a route's operation. Its lists may be readonly, because they are only sent. */
export type ApiInput<Route extends RouteOf<OperationName>> = {
  readonly [Field in keyof RequestInput<OperationAt<Route>>]: ReadonlyList<RequestInput<OperationAt<Route>>[Field]>;
};

export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Makes the request of a route's operation. Its path has the fields that the route names, the body or the query the others. */
export function toApiRequest<Route extends RouteOf<OperationName>>(route: Route, input: ApiInput<Route>): ApiRequest {
  const [method = "", template = ""] = route.split(" ");
  const fields = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(fields.get(name)));
    fields.delete(name);
    return value;
  });
  const hasBody = method === "POST" || method === "PATCH";
  const query = hasBody ? "" : new URLSearchParams([...fields].map(([name, value]) => [name, String(value)])).toString();
  return {
    method,
    url: `/api${path}${query === "" ? "" : `?${query}`}`,
    headers: { Accept: "application/json", ...(hasBody && { "Content-Type": "application/json" }) },
    ...(hasBody && { body: JSON.stringify(Object.fromEntries(fields)) }),
  };
}

/**
 * Calls the operation of a route, such as `POST /files/move`, for the signed-in account. Writes continue after the page was left. Throws an
 * `ApiRefusal`, or without a response an error whose message is a sentence.
 */
export async function callApi<Route extends RouteOf<OperationName>>(
  route: Route,
  input: ApiInput<Route>,
  idempotencyKey?: string,
): Promise<ResponseOf<OperationAt<Route>>> {
  const { url, ...request } = toApiRequest(route, input);
  const headers = { ...request.headers, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) };
  const response = await fetch(url, { ...request, headers, keepalive: request.method !== "GET" }).catch(() => undefined);
  if (!response) throw new Error(texts.offline);
  const answer = (await response.json().catch(() => ({}))) as ResponseOf<OperationAt<Route>> & ErrorJson;
  if (response.ok) return answer;
  throw new ApiRefusal(toSentence(answer) ?? texts.failed, response.status, answer.errorCode);
}

/** Returns the text of an error in the language of the page; the server's sentence for a code without a text. */
export function toSentence(body: ErrorJson): string | undefined {
  const { error, errorCode } = body;
  const text = errorCode === undefined ? undefined : errorText(texts, document.documentElement.lang as Language, { ...body, errorCode });
  return text ?? (typeof error === "string" ? error : undefined);
}
