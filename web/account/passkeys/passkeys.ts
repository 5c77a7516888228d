import { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { redirect } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { toOwnPath } from "../../../src/lib/http/own-path.ts";
import { parseJson } from "../../../src/lib/text/parse-json.ts";
import { operations } from "../../../src/service/operations.ts";
import { passkeyContract } from "../../../src/service/sign-in/passkey-contract.ts";
import { respondProve } from "../prove/prove.ts";
import { respondSignedIn, respondSignIn } from "../sign-in/sign-in.ts";
import { withVisitor } from "../visitor.ts";
import { withPerson } from "../with-person.ts";

/** Handles `POST /signin/passkey`, the passkey form of the sign-in page. */
export const postPasskeySignIn = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: true }, async (call) => {
    const form = await readPageForm(c, call);
    const next = toOwnPath(form.get("next"));
    const refuse = (passkeyRefusal: AppError) => respondSignIn(c, { next, passkeyRefusal });
    return await respondToRefusals(
      async () => {
        const input = passkeyContract.signInWithPasskey.input.safeParse({ credential: readCredential(form) });
        if (!input.success) throw new AppError("UNAUTHENTICATED", "");
        const { sessionToken } = await operations.signInWithPasskey(c.env.ctx, call, input.data);
        return respondSignedIn(c, sessionToken, next);
      },
      { UNAUTHENTICATED: refuse, RATE_LIMITED: refuse },
    );
  });

/** Handles `POST /prove/passkey`, the passkey form of the page that asks for a proof. */
export const postPasskeyProof = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const next = toOwnPath(form.get("next")) ?? "/";
    const refuse = (passkeyRefusal: AppError) => respondProve(c, call, { next, passkeyRefusal });
    return await respondToRefusals(
      async () => {
        const input = passkeyContract.proveWithPasskey.input.safeParse({ credential: readCredential(form) });
        if (!input.success) throw new AppError("FORBIDDEN", "");
        await operations.proveWithPasskey(c.env.ctx, call, input.data);
        return redirect(c, 303, next);
      },
      { FORBIDDEN: refuse, RATE_LIMITED: refuse },
    );
  });

/** Reads the passkey credential that a script wrote into the form; undefined if it is not JSON. */
export const readCredential = (form: URLSearchParams): unknown => parseJson(form.get("credential") ?? "");
