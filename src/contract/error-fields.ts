import { z } from "zod";
import { dateTime, described, unlockKind } from "./scalars.ts";
import { webUrl } from "./web-url.ts";

/** All members that an error response may have beside `error` and `errorCode`; they type `AppError` (openapi, "The OpenAPI document"). */
const errorFields = z
  .object({
    issues: described(
      z.array(
        z.object({
          path: described(z.string(), "The field, or header; empty for the whole request", "ttl"),
          message: described(z.string(), "What is wrong, or what to send", "give a time such as 30m, 24h, 7d or 2w"),
        }),
      ),
      "VALIDATION_FAILED: the problems of the request",
    ),
    limitKind: described(
      z.enum([
        "STORAGE_QUOTA",
        "ANON_STORAGE_QUOTA",
        "FILE_SIZE",
        "FILE_COUNT",
        "SHIPMENT_QUOTA",
        "REQUEST_BYTES",
        "REQUEST_FILES",
        "INGEST_BUDGET",
      ]),
      "QUOTA_EXCEEDED: the limit that would be exceeded",
      "FILE_SIZE",
    ),
    limitBytes: described(z.int().nullable(), "QUOTA_EXCEEDED: the limit in bytes; null if it is not in bytes", 1_073_741_824),
    limitFiles: described(z.int(), "QUOTA_EXCEEDED with FILE_COUNT or REQUEST_FILES: the limit in files", 100_000),
    maxBytes: described(z.int(), "FILE_TOO_LARGE_FOR_DIRECT: largest file of this route, bytes", 4_194_304),
    multipartInitPath: described(z.string(), "FILE_TOO_LARGE_FOR_DIRECT: path that starts an upload in parts", "/files/multipart/init"),
    maxTtlSeconds: described(z.int(), "EXPIRY_TOO_LONG: longest time that the tier allows", 259_200),
    retryAfterSeconds: described(z.int(), "Seconds to wait, as in the header Retry-After", 15),
    resetAt: described(dateTime, "When the limit is reset", "2030-01-30T13:00:00Z"),
    rateLimitExceeded: described(z.boolean(), "Whether the hourly limit of imports is reached", true),
    scanPending: described(z.boolean(), "SCAN_PENDING: the scan of the file has not finished", true),
    scanBlocked: described(z.boolean(), "SCAN_BLOCKED: the file is blocked", true),
    unlockRequired: described(z.boolean(), "Whether the share requires an unlock code or a handoff link", true),
    unlockKind: described(unlockKind, "UNLOCK_REQUIRED and UNLOCK_INVALID: what opens the share: its code or its password", "password"),
    paymentRequired: described(z.boolean(), "PAYMENT_REQUIRED: the share has a price", true),
    priceCents: described(z.int().nullable(), "PAYMENT_REQUIRED: its price in US cents", 500),
    currency: described(z.string(), "PAYMENT_REQUIRED: the currency of the price", "usd"),
    checkoutUrl: described(webUrl, "PAYMENT_REQUIRED: URL of the checkout", "https://pay.example.org/c/1"),
    purchaseStatus: described(
      z.enum(["open", "ended", "refunded", "disputed", "unknown", "gone"]),
      "PAYMENT_REQUIRED for a claim: what became of the checkout; open: it can still be paid, or its payment has not arrived. NOT_FOUND: unknown to this server, or its share is gone for good",
      "open",
    ),
    buyers: described(z.int(), "HAS_BUYERS: how many would lose what they bought", 3),
    remoteStatus: described(z.int(), "REMOTE_REFUSED and other import errors: HTTP status of the remote server", 403),
    missing: described(z.array(z.int()), "PARTS_MISSING: numbers of the parts that have not arrived", [2, 3]),
    signInToken: described(z.string(), "SECOND_FACTOR_REQUIRED: send it with the code", "signin_8wVn3kT9xQ2m"),
    expiresAt: described(dateTime, "SECOND_FACTOR_REQUIRED: until when", "2030-01-30T12:05:00Z"),
    error_code: described(z.string(), "What is wrong with a registration's proof of work, in lower case", "pow_required"),
    challenge: described(
      z.object({
        challenge_id: described(z.string(), "Identifies the challenge", "7kXq9Zab.t5k2c0.Zm9v"),
        difficulty: described(z.int(), "Leading zero bits that SHA-256 of `challenge_id:nonce` must have", 18),
        expires_at: described(dateTime, "When the challenge expires", "2030-01-30T12:10:00Z"),
      }),
      "RATE_LIMITED for an unlock code: the proof of work to send with the code",
    ),
    setting: described(
      z.object({
        name: described(z.string(), "The setting's name", "signup"),
        value: described(z.string().nullable(), "Its present value", "invite"),
      }),
      "CONFLICT: the setting that was not changed",
    ),
    requestId: described(z.string(), "INTERNAL: ID of the request in the server's log", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
  })
  .partial();
export type ErrorFields = z.infer<typeof errorFields>;

/** The body of every error response. */
export const errorBody = z.object({
  success: described(z.literal(false), "Always false"),
  error: described(z.string(), "What is wrong, and what to do", "The request is not valid. ttl: give a time such as 30m, 24h, 7d or 2w."),
  errorCode: described(z.string(), "Error code in UPPER_SNAKE", "VALIDATION_FAILED"),
  ...errorFields.shape,
});
export type ErrorBody = z.infer<typeof errorBody>;
