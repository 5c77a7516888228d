/** The refusal of a request by the API, in the form of Stripe's error bodies. */
export interface FaultBody {
  readonly type: "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
  readonly doc_url?: string;
}

/** Ends the request with an error body. `isKept`: whether a repetition with the same Idempotency-Key gets the same error. */
export class StripeFault extends Error {
  override readonly name = "StripeFault";
  constructor(
    readonly status: number,
    readonly body: FaultBody,
    readonly isKept = true,
  ) {
    super(body.message);
  }
}

interface Detail {
  readonly code?: string;
  readonly param?: string;
}

/** Returns a 400 about the request. */
export const invalid = (message: string, detail: Detail = {}): StripeFault => new StripeFault(400, toBody(message, detail));

/** Returns a 400 of the validation before the request begins. A repetition with the same Idempotency-Key starts again. */
export const malformed = (message: string, detail: Detail = {}): StripeFault => new StripeFault(400, toBody(message, detail), false);

/** Returns a 404 about an unknown ID. */
export const missing = (noun: string, id: string, param: string): StripeFault =>
  new StripeFault(404, toBody(`No such ${noun}: '${id}'`, { code: "resource_missing", param }));

function toBody(message: string, { code, param }: Detail): FaultBody {
  return {
    ...(code !== undefined && { code, doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}` }),
    message,
    ...(param !== undefined && { param }),
    type: "invalid_request_error",
  };
}
