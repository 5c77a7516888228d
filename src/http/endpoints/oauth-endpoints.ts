import { AppError } from "../../errors.ts";
import { parseJson } from "../../lib/text/parse-json.ts";
import { startDevice } from "../../service/oauth/device.ts";
import { OAuthError, type OAuthResponse } from "../../service/oauth/oauth-error.ts";
import { registerClient } from "../../service/oauth/register-client.ts";
import { issueTokens, revokeToken } from "../../service/oauth/token.ts";
import { countOAuthRequest } from "../callers/count-request.ts";
import { readBody } from "../reading/read-body.ts";
import { respondJson } from "../responding/respond.ts";
import { respondError } from "../responding/respond-error.ts";
import type { HttpContext } from "../routing/env.ts";

const MAX_BODY_BYTES = 32 * 1024;

/** `POST /oauth/register` (oauth, "Registration"). */
export const postOAuthRegister = (c: HttpContext): Promise<Response> =>
  answer(c, async (body) => await registerClient(c.env.ctx, c.env, parseJson(body)));

/** `POST /oauth/token` (oauth, "Tokens"). */
export const postOAuthToken = (c: HttpContext): Promise<Response> =>
  answer(c, async (body) => await issueTokens(c.env.ctx, parseForm(c, body)));

/** `POST /oauth/device` (oauth, "Devices"). */
export const postOAuthDevice = (c: HttpContext): Promise<Response> =>
  answer(c, async (body) => await startDevice(c.env.ctx, c.env, parseForm(c, body)));

/** `POST /oauth/revoke` (oauth, "Tokens"). */
export const postOAuthRevoke = (c: HttpContext): Promise<Response> =>
  answer(c, async (body) => await revokeToken(c.env.ctx, c.env, parseForm(c, body)));

/** Responds by the rules of OAuth. Pages of any site may send these requests, because no cookie is read and the body is a credential itself. */
async function answer(c: HttpContext, work: (body: string) => Promise<OAuthResponse>): Promise<Response> {
  try {
    countOAuthRequest(c);
    using body = await readBody(c, { caller: { actor: undefined, address: c.env.address }, maxBytes: MAX_BODY_BYTES });
    const { status, body: sent } = await work(new TextDecoder().decode(body.bytes));
    return respondJson(c, sent, status);
  } catch (error) {
    if (error instanceof OAuthError) return respondJson(c, { error: error.code, error_description: error.message }, 400);
    return withOAuthFields(c, error);
  }
}

/** Returns the usual error with the two members that OAuth clients read. */
async function withOAuthFields(c: HttpContext, error: unknown): Promise<Response> {
  const response = respondError(c, error);
  if (!(error instanceof AppError)) return response;
  const isTemporary = error.status >= 500 || error.status === 429;
  const body = { ...error.toBody(), error: isTemporary ? "temporarily_unavailable" : "invalid_request", error_description: error.message };
  return new Response(JSON.stringify(body), response);
}

function parseForm(c: HttpContext, body: string): URLSearchParams {
  if (c.req.header("content-type")?.startsWith("application/x-www-form-urlencoded")) return new URLSearchParams(body);
  throw new OAuthError("invalid_request", "Send a form: Content-Type: application/x-www-form-urlencoded.");
}
