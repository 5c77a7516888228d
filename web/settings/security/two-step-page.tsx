/** @jsxImportSource preact */

import { CodeField } from "../../account/code-field.tsx";
import { formatDate } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm } from "../../site/page-form.tsx";
import { Ask, Panel } from "../../site/panel.tsx";
import { QrCode } from "../../site/qr-code.tsx";
import { SECURITY_PATH, TWO_STEP_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";

/** The state of the page of two-step sign-in. */
export type TwoStepPageProps =
  | { readonly kind: "setUp"; readonly secret: string; readonly url: string; readonly problem?: string | undefined }
  | { readonly kind: "on"; readonly since: string; readonly recoveryCodesLeft: number }
  /** Recovery codes, which are shown only once. */
  | { readonly kind: "codes"; readonly recoveryCodes: readonly string[]; readonly isNew: boolean };

/** Renders the pages that set up, show and turn off two-step sign-in. */
export function renderTwoStepPage(page: PageContext, props: TwoStepPageProps): string {
  const { factors: texts } = page.texts;
  return renderSettings(page, {
    section: "security",
    title: texts.twoStep,
    back: props.kind === "codes" ? undefined : { path: SECURITY_PATH, text: page.texts.settings.security },
    done: props.kind !== "codes" ? undefined : props.isNew ? texts.turnedOn : texts.codesReplaced,
    children: (
      <>
        {props.kind === "setUp" ? (
          <SetUp page={page} {...props} />
        ) : props.kind === "on" ? (
          <Manage page={page} {...props} />
        ) : (
          <RecoveryCodes page={page} {...props} />
        )}
      </>
    ),
  });
}

interface SetUpProps {
  readonly page: PageContext;
  readonly secret: string;
  readonly url: string;
  readonly problem?: string | undefined;
}

function SetUp({ page, secret, url, problem }: SetUpProps) {
  const { factors: texts } = page.texts;
  return (
    <Panel title={texts.setUpTitle} text={texts.setUpText}>
      <ol class="steps">
        <li>
          <h3>{texts.scan}</h3>
          <p class="quiet">{texts.scanText}</p>
          <QrCode text={url} label={texts.qrLabel} />
          <details id="secret">
            <summary>{texts.cannotScan}</summary>
            <p class="quiet">{texts.typeSecret}</p>
            <div class="copyable">
              <code id="totp-secret">{secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}</code>
              <button class="button small" type="button" data-copy="totp-secret" hidden>
                {texts.copy}
              </button>
            </div>
          </details>
        </li>
        <li>
          <h3>{texts.confirm}</h3>
          <PageForm action={TWO_STEP_PATH} submit={texts.turnOn} problem={problem}>
            <input type="hidden" name="action" value="confirm" />
            <CodeField label={texts.appCode} isWrong={problem !== undefined} />
          </PageForm>
        </li>
      </ol>
    </Panel>
  );
}

function Manage({
  page,
  since,
  recoveryCodesLeft,
}: {
  readonly page: PageContext;
  readonly since: string;
  readonly recoveryCodesLeft: number;
}) {
  const { factors: texts } = page.texts;
  return (
    <>
      <Panel title={texts.onSince(formatDate(Date.parse(since), page))} text={texts.onText}>
        <Ask
          label={texts.turnOff}
          path={TWO_STEP_PATH}
          fields={{ action: "off" }}
          text={texts.turnOffText}
          confirm={texts.turnOff}
          tone="danger"
        />
      </Panel>
      <Panel title={texts.recoveryCodes} text={`${texts.codesLeft(recoveryCodesLeft)} ${texts.recoveryCodesText}`}>
        <Ask label={texts.newCodes} path={TWO_STEP_PATH} fields={{ action: "codes" }} text={texts.newCodesText} confirm={texts.newCodes} />
      </Panel>
    </>
  );
}

function RecoveryCodes({ page, recoveryCodes }: { readonly page: PageContext; readonly recoveryCodes: readonly string[] }) {
  const { factors: texts } = page.texts;
  const file = `${texts.fileTitle(page.site.name, page.person?.name ?? "")}\n\n${recoveryCodes.join("\n")}\n`;
  return (
    <Panel title={texts.saveCodes} text={texts.saveCodesText}>
      <ul class="recovery-codes">
        {recoveryCodes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="code-actions">
        <a class="button small" download="filehost-recovery-codes.txt" href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}>
          {texts.download}
        </a>
        <button class="button small" type="button" data-print hidden>
          {texts.print}
        </button>
      </div>
      <a class="button" href={SECURITY_PATH}>
        {texts.saved}
      </a>
    </Panel>
  );
}
