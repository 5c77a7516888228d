/** @jsxImportSource preact */
import type { OAuthScope } from "../../../src/contract/oauth-scopes.ts";
import { CheckIcon, CrossIcon } from "../../site/icons.tsx";
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { DecisionForm, ScopeList } from "../consent/consent-page.tsx";
import { DEVICE_PATH } from "../paths.ts";

export interface DevicePageProps {
  /** The code that the person entered, or the code in the device's link. */
  readonly code: string;
  readonly problem?: string | undefined;
}

/** Renders the form for the code of a program on another device. */
export function renderDevicePage(page: PageContext, { code, problem }: DevicePageProps): string {
  const texts = page.texts.oauth.device;
  return renderDocument(page, {
    title: texts.title,
    main: { "data-state": "device" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.title}</h1>
          <p class="quiet">{texts.intro}</p>
        </div>
        <PageForm action={DEVICE_PATH} submit={texts.goOn} problem={problem}>
          <TextField
            name="code"
            label={texts.code}
            type="text"
            autocomplete="off"
            maxLength={20}
            value={code}
            isWrong={problem !== undefined}
          />
        </PageForm>
      </section>
    ),
  });
}

export interface DeviceQuestionProps {
  readonly name: string;
  readonly scopes: readonly OAuthScope[];
  readonly userCode: string;
  readonly account: string;
  readonly accountId: string;
}

/** Renders the rights that the program requests, with the code to compare. */
export function renderDeviceQuestion(page: PageContext, { name, scopes, userCode, account, accountId }: DeviceQuestionProps): string {
  const texts = page.texts.oauth;
  const title = texts.title(name === "" ? texts.unnamed : name);
  return renderDocument(page, {
    title,
    styles: ["consent"],
    main: { "data-state": "device-question" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          <p>{texts.signedInAs(account)}</p>
        </div>
        <ScopeList texts={texts} scopes={scopes} />
        <p>
          {texts.device.compare} <strong>{userCode}</strong>
        </p>
        <p class="quiet">{texts.device.careful}</p>
        <DecisionForm
          texts={texts}
          action={DEVICE_PATH}
          fields={{ code: userCode, account: accountId }}
          refusal={["deny", texts.device.deny]}
        />
      </section>
    ),
  });
}

/** Renders the confirmation that the program has received the answer. */
export function renderDeviceDone(page: PageContext, { allowed }: { readonly allowed: boolean }): string {
  const texts = page.texts.oauth.device;
  const [title, text] = allowed ? [texts.allowed, texts.allowedText] : [texts.denied, texts.deniedText];
  return renderDocument(page, {
    title,
    main: { "data-state": "device-done" },
    children: (
      <section class="card message">
        <span class={allowed ? "badge good" : "badge note"}>{allowed ? <CheckIcon /> : <CrossIcon />}</span>
        <h1>{title}</h1>
        <p>{text}</p>
      </section>
    ),
  });
}
