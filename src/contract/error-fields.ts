import { z } from "zod";
import { dateTime, described } from "./scalars.ts";

/** What a refusal may carry beside `error` and `errorCode`; the one list of it, which the code's errors are typed by (decisions, "Errors"). */
const errorFields = z
  .object({
    issues: described(
      z.array(
        z.object({
          path: described(z.string(), "The field, or header; empty for the whole request", "ttl"),
          message: described(z.string(), "What to send", "give a time such as 30m, 24h, 7d or 2w"),
        }),
      ),
      "VALIDATION_FAILED: each problem of the request",
    ),
    limitKind: described(
      z.enum(["STORAGE_QUOTA", "ANON_STORAGE_QUOTA", "FILE_SIZE", "FILE_COUNT", "SHIPMENT_QUOTA", "INGEST_BUDGET"]),
      "QUOTA_EXCEEDED: which limit it is",
      "FILE_SIZE",
    ),
    limitBytes: described(z.int().nullable(), "QUOTA_EXCEEDED: the limit in bytes; null where it is none of bytes", 1_073_741_824),
    limitFiles: described(z.int(), "QUOTA_EXCEEDED: the limit in files, of FILE_COUNT", 100_000),
    maxBytes: described(z.int(), "FILE_TOO_LARGE_FOR_DIRECT: largest file of this route, bytes", 4_194_304),
    multipartInitPath: described(z.string(), "FILE_TOO_LARGE_FOR_DIRECT: where an upload in parts begins", "/files/multipart/init"),
    maxTtlSeconds: described(z.int(), "EXPIRY_TOO_LONG: longest time that the tier allows", 259_200),
    retryAfterSeconds: described(z.int(), "When to ask again, as the header Retry-After", 15),
    resetAt: described(dateTime, "When a limit is open again", "2030-01-30T13:00:00Z"),
    rateLimitExceeded: described(z.boolean(), "Whether the hourly cap of imports is reached", true),
    scanPending: described(z.boolean(), "SCAN_PENDING: the safety check still runs", true),
    scanBlocked: described(z.boolean(), "SCAN_BLOCKED: the safety check did not pass the file", true),
    unlockRequired: described(z.boolean(), "Whether the share needs an unlock code or a delivery link", true),
    paymentRequired: described(z.boolean(), "PAYMENT_REQUIRED: the share has a price", true),
    priceCents: described(z.int().nullable(), "PAYMENT_REQUIRED: its price in US cents", 500),
    currency: described(z.string(), "PAYMENT_REQUIRED: the currency of the price", "usd"),
    checkoutUrl: described(z.url(), "PAYMENT_REQUIRED: where it can be paid", "https://pay.example.org/c/1"),
    remoteStatus: described(z.int(), "REMOTE_REFUSED and others of imports: HTTP status of the remote server", 403),
    missing: described(z.array(z.int()), "PARTS_MISSING: numbers of the parts that have not arrived", [2, 3]),
    error_code: described(z.string(), "What is wrong with a registration's proof of work, in lower case", "pow_required"),
    challenge: described(
      z.object({
        challenge_id: described(z.string(), "Names the challenge", "7kXq9Zab.t5k2c0.Zm9v"),
        difficulty: described(z.int(), "Leading zero bits that SHA-256 of `challenge_id:nonce` must have", 18),
        expires_at: described(dateTime, "Until when it can be answered", "2030-01-30T12:10:00Z"),
      }),
      "RATE_LIMITED of an unlock code: the proof of work with which the code can be sent again",
    ),
    requestId: described(z.string(), "INTERNAL: names the request in the server's log", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
  })
  .partial();
export type ErrorFields = z.infer<typeof errorFields>;

/** Every refusal, as the OpenAPI document has it. */
export const errorBody = z.object({
  success: described(z.literal(false), "Always false"),
  error: described(z.string(), "A sentence that says what to do", "The request is not valid. ttl: give a time such as 30m, 24h, 7d or 2w."),
  errorCode: described(z.string(), "What happened, in UPPER_SNAKE", "VALIDATION_FAILED"),
  ...errorFields.shape,
});
