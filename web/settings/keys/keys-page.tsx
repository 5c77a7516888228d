/** @jsxImportSource preact */
import { MCP_PATH } from "../../../src/contract/endpoints.ts";
import type { Output } from "../../../src/service/contract.ts";
import { PROVE_PATH } from "../../account/paths.ts";
import { Copyable } from "../../site/copyable.tsx";
import { EmptyState } from "../../site/empty-state.tsx";
import { visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Ago, Ask, Panel } from "../../site/panel.tsx";
import { KEYS_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";
import { KeyPrograms, type UploadPrograms } from "./key-programs.tsx";

const SCOPES: readonly KeyView["scope"][] = ["files_read", "files_write", "full"];

export type KeyView = Output<"listKeys">[number];

export interface KeysPageProps {
  readonly keys: readonly KeyView[];
  readonly nowMs: number;
  /** Whether the session has proved its password, which is required to create and replace keys. */
  readonly isProved: boolean;
  /** The change by the last form. */
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
  /** The key that the last form has created; shown only once. */
  readonly created?: CreatedKeyView | undefined;
}

export interface CreatedKeyView {
  readonly key: string;
  readonly label: string | null;
  /** A command that contains the key. */
  readonly command: string;
  /** Programs that upload with the key; undefined for a key that may not upload. */
  readonly programs: UploadPrograms | undefined;
}

/** Renders the account's keys. */
export function renderKeysPage(page: PageContext, { keys, nowMs, isProved, done, problem, created }: KeysPageProps): string {
  const { keys: texts } = page.texts;
  return renderSettings(page, {
    section: "keys",
    intro: texts.intro,
    done,
    children: (
      <>
        {created === undefined ? null : <CreatedKeyPanel page={page} created={created} />}
        {keys.length === 0 ? (
          <EmptyState title={texts.none} text={texts.noneText} />
        ) : (
          <section class="card panel" aria-label={texts.count(keys.length)}>
            <ul class="items">
              {keys.map((key) => (
                <KeyEntry key={key.id} page={page} apiKey={key} nowMs={nowMs} />
              ))}
            </ul>
          </section>
        )}
        <NewKeyForm page={page} isProved={isProved} problem={problem} />
        <p class="quiet">
          {texts.programs.hint}
          <br />
          {texts.assistants} <a href={MCP_PATH}>{page.texts.mcp.title}</a>
        </p>
      </>
    ),
  });
}

function CreatedKeyPanel({ page, created }: { readonly page: PageContext; readonly created: CreatedKeyView }) {
  const { keys: texts } = page.texts;
  return (
    <Panel title={texts.createdTitle(visibleText(created.label ?? texts.unnamed))} text={texts.createdText} tone="fresh">
      <Copyable page={page} id="key" label={texts.key} text={created.key} />
      <div class="terminal">
        <p class="quiet">{texts.tryIt}</p>
        <Copyable page={page} id="command" label={texts.command} text={created.command} />
      </div>
      {created.programs === undefined ? null : <KeyPrograms page={page} programs={created.programs} />}
    </Panel>
  );
}

interface KeyEntryProps {
  readonly page: PageContext;
  readonly apiKey: KeyView;
  readonly nowMs: number;
}

function KeyEntry({ page, apiKey, nowMs }: KeyEntryProps) {
  const { keys: texts } = page.texts;
  const name = visibleText(apiKey.label ?? texts.unnamed);
  return (
    <li class="item">
      <div class="item-head">
        <p class="item-name">
          <bdi>{name}</bdi> <span class="tag">{texts.scopes[apiKey.scope]}</span>
        </p>
        <p class="quiet">
          <code>{apiKey.prefix}…</code>
          <br />
          {texts.created} <Ago page={page} time={apiKey.createdAt} nowMs={nowMs} /> · {texts.lastUsed}{" "}
          {apiKey.lastUsedAt === null ? texts.never : <Ago page={page} time={apiKey.lastUsedAt} nowMs={nowMs} />}
        </p>
      </div>
      <div class="asks">
        <Ask
          label={texts.rotate}
          about={name}
          path={KEYS_PATH}
          fields={{ action: "rotate", id: apiKey.id }}
          text={texts.rotateText}
          confirm={texts.rotateConfirm}
        />
        <Ask
          label={texts.revoke}
          about={name}
          path={KEYS_PATH}
          fields={{ action: "revoke", id: apiKey.id }}
          text={texts.revokeText}
          confirm={texts.revokeConfirm}
          tone="danger"
        />
      </div>
    </li>
  );
}

interface NewKeyFormProps {
  readonly page: PageContext;
  readonly isProved: boolean;
  readonly problem: string | undefined;
}

function NewKeyForm({ page, isProved, problem }: NewKeyFormProps) {
  const { keys: texts } = page.texts;
  if (!isProved) {
    return (
      <Panel title={texts.newKey} text={texts.proveText}>
        <a class="button small" href={`${PROVE_PATH}?next=${encodeURIComponent(KEYS_PATH)}`}>
          {texts.prove}
        </a>
      </Panel>
    );
  }
  return (
    <Panel title={texts.newKey}>
      <PageForm action={KEYS_PATH} submit={texts.create} problem={problem}>
        <input type="hidden" name="action" value="create" />
        <TextField
          name="label"
          label={texts.label}
          hint={texts.labelHint}
          type="text"
          autocomplete="off"
          maxLength={120}
          isWrong={problem !== undefined}
        />
        <fieldset>
          <legend>{texts.scope}</legend>
          {SCOPES.map((scope) => (
            <label key={scope} class="check">
              <input type="radio" name="scope" value={scope} checked={scope === "files_write"} />
              <span>{texts.scopes[scope]}</span>
              <span class="quiet">{texts.scopeTexts[scope]}</span>
            </label>
          ))}
        </fieldset>
      </PageForm>
    </Panel>
  );
}
