/** @jsxImportSource preact */
import type { Output } from "../../../src/service/contract.ts";
import { PasskeyForm } from "../../account/passkeys/passkey-form.tsx";
import { PROVE_PATH } from "../../account/paths.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { visibleText } from "../../site/format.ts";
import { Problem } from "../../site/outcome.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Ago, Ask, Panel } from "../../site/panel.tsx";
import { PASSKEYS_PATH, SECURITY_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";

export type PasskeyView = Output<"listPasskeys">[number];

export interface PasskeysPageProps {
  readonly passkeys: readonly PasskeyView[];
  readonly nowMs: number;
  /** Whether the session has given a proof, which is required to add a passkey. */
  readonly isProved: boolean;
  readonly maxNameLength: number;
  /** The change by the last form. */
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Renders the account's passkeys. */
export function renderPasskeysPage(
  page: PageContext,
  { passkeys, nowMs, isProved, maxNameLength, done, problem }: PasskeysPageProps,
): string {
  const { passkeys: texts } = page.texts;
  return renderSettings(page, {
    section: "security",
    title: texts.title,
    back: { path: SECURITY_PATH, text: page.texts.settings.security },
    intro: texts.intro,
    done,
    children: (
      <>
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        {passkeys.length === 0 ? (
          <EmptyState title={texts.none} text={texts.noneText} />
        ) : (
          <section class="card panel" aria-label={texts.count(passkeys.length)}>
            <ul class="items">
              {passkeys.map((passkey) => (
                <PasskeyEntry key={passkey.id} page={page} passkey={passkey} nowMs={nowMs} maxNameLength={maxNameLength} />
              ))}
            </ul>
          </section>
        )}
        <NewPasskey page={page} isProved={isProved} />
      </>
    ),
  });
}

interface PasskeyEntryProps {
  readonly page: PageContext;
  readonly passkey: PasskeyView;
  readonly nowMs: number;
  readonly maxNameLength: number;
}

function PasskeyEntry({ page, passkey, nowMs, maxNameLength }: PasskeyEntryProps) {
  const { passkeys: texts } = page.texts;
  const { id, createdAt, lastUsedAt, isUsable } = passkey;
  const name = visibleText(passkey.name || texts.unnamed);
  return (
    <li class="item">
      <div class="item-head">
        <p class="item-name">
          <bdi>{name}</bdi> {isUsable ? null : <span class="tag bad">{texts.unusable}</span>}
        </p>
        <p class="quiet">
          {texts.created} <Ago page={page} time={createdAt} nowMs={nowMs} /> · {texts.lastUsed}{" "}
          {lastUsedAt === null ? texts.never : <Ago page={page} time={lastUsedAt} nowMs={nowMs} />}
        </p>
      </div>
      <div class="asks">
        <details class="ask">
          <summary class="button small">
            {texts.rename}
            <span class="unseen">: {name}</span>
          </summary>
          <div class="ask-body">
            <PageForm action={PASSKEYS_PATH} submit={texts.save} problem={undefined}>
              <input type="hidden" name="action" value="rename" />
              <input type="hidden" name="id" value={id} />
              <TextField name="name" label={texts.name} type="text" autocomplete="off" maxLength={maxNameLength} value={passkey.name} />
            </PageForm>
          </div>
        </details>
        <Ask
          label={texts.remove}
          about={name}
          path={PASSKEYS_PATH}
          fields={{ action: "remove", id }}
          text={texts.removeText}
          confirm={texts.remove}
          tone="danger"
        />
      </div>
    </li>
  );
}

function NewPasskey({ page, isProved }: { readonly page: PageContext; readonly isProved: boolean }) {
  const { passkeys: texts } = page.texts;
  if (page.person?.unverifiedEmail !== undefined) return <Panel title={texts.add} text={texts.unverified} />;
  if (!isProved) {
    return (
      <Panel title={texts.add} text={texts.proveText}>
        <a class="button small" href={`${PROVE_PATH}?next=${encodeURIComponent(PASSKEYS_PATH)}`}>
          {texts.prove}
        </a>
      </Panel>
    );
  }
  return (
    <Panel title={texts.add} text={texts.addText}>
      <p class="quiet" data-passkey-missing hidden>
        {texts.missing}
      </p>
      <noscript>
        <p class="quiet">{texts.needsScript}</p>
      </noscript>
      <PasskeyForm page={page} use="add" action={PASSKEYS_PATH} submit={texts.add} fields={{ action: "add" }} />
    </Panel>
  );
}
