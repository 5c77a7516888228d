import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { requireUser } from "../../../src/service/accounts/actor.ts";
import { requireConsentRights } from "../../../src/service/oauth/authorize.ts";
import { decideDevice, readDeviceRequest } from "../../../src/service/oauth/device.ts";
import { waitText } from "../sign-in/sign-in.ts";
import { withPerson } from "../with-person.ts";
import { renderDeviceDone, renderDevicePage, renderDeviceQuestion } from "./device-page.tsx";

/** Handles `GET /device`: shows the form for the code of a program on another device (oauth, "Devices"). */
export const showDevicePage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    requireConsentRights(c.env.ctx, call);
    return await respondPage(c, { html: renderDevicePage(pageContext(c), { code: c.req.query("user_code") ?? "" }) });
  });

/** Handles `POST /device`: shows the request of the program, and then sends the person's answer. */
export const postDevice = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const code = form.get("code") ?? "";
    const page = pageContext(c);
    const refuse = (refusal: AppError) => {
      const problem = waitText(c, refusal) ?? page.texts.oauth.device.unknown;
      return respondPage(c, { html: renderDevicePage(page, { code, problem }), refusal });
    };
    return await respondToRefusals(
      async () => {
        const html = await answer(c, call, { code, account: form.get("account"), decision: form.get("decision") });
        return await respondPage(c, { html });
      },
      { NOT_FOUND: refuse, RATE_LIMITED: refuse },
    );
  });

interface Sent {
  readonly code: string;
  /** The ID of the account that the question named. */
  readonly account: string | null;
  readonly decision: string | null;
}

async function answer(c: HttpContext, call: RequestContext, { code, account, decision }: Sent): Promise<string> {
  const page = pageContext(c);
  const { userId } = requireUser(call.actor);
  if (account !== userId || (decision !== "allow" && decision !== "deny")) {
    const request = await readDeviceRequest(c.env.ctx, call, code);
    return renderDeviceQuestion(page, { ...request, account: c.env.person?.name ?? "", accountId: userId });
  }
  const allows = decision === "allow";
  await decideDevice(c.env.ctx, call, code, allows);
  return renderDeviceDone(page, { allowed: allows });
}
