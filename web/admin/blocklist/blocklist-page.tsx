/** @jsxImportSource preact */
import type { Output } from "../../../src/service/contract.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";
import { Ago, Ask } from "../../site/panel.tsx";
import { NextPages, renderAdmin } from "../admin-layout.tsx";
import { ADMIN_FILES_PATH, BLOCKLIST_PATH } from "../paths.ts";
import { TitleAction } from "../title-action.tsx";

export interface BlocklistPageProps {
  readonly blocks: readonly BlockView[];
  readonly search: string;
  readonly nextCursor: string | null;
  readonly isLaterPage: boolean;
  readonly nowMs: number;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
  /** The entered digests that were refused, with the reason. */
  readonly refused?: { readonly text: string; readonly entered: { readonly digests: string; readonly reason: string } } | undefined;
}

type BlockView = Output<"listBlockedDigests">["data"][number];

/** Renders one page of the digests that no file may have, and the form that adds some. */
export function renderBlocklistPage(page: PageContext, props: BlocklistPageProps): string {
  const { admin, blocklist } = page.texts;
  const { blocks, search, nextCursor, isLaterPage, nowMs, done, problem } = props;
  const path = search === "" ? BLOCKLIST_PATH : `${BLOCKLIST_PATH}?${new URLSearchParams({ q: search })}`;
  return renderAdmin(page, {
    section: "blocklist",
    done,
    problem,
    action: <NewDigests page={page} {...props} />,
    children: (
      <>
        <p class="quiet">{blocklist.intro}</p>
        <form class="admin-search" method="get" action={BLOCKLIST_PATH}>
          <input type="search" name="q" value={search} maxLength={200} aria-label={blocklist.find} placeholder={blocklist.find} />
          <button class="button small" type="submit">
            {admin.find}
          </button>
        </form>
        {blocks.length === 0 ? (
          <EmptyState
            title={search === "" ? blocklist.empty : blocklist.notFound}
            text={search === "" ? blocklist.emptyText : blocklist.notFoundText}
          />
        ) : (
          <section class="card panel">
            <ul class="items">
              {blocks.map((block) => (
                <BlockItem key={block.sha256} page={page} block={block} path={path} nowMs={nowMs} />
              ))}
            </ul>
          </section>
        )}
        <NextPages page={page} path={path} nextCursor={nextCursor} isLaterPage={isLaterPage} />
      </>
    ),
  });
}

function NewDigests({ page: { texts }, refused }: BlocklistPageProps & { readonly page: PageContext }) {
  const { blocklist, moderation } = texts;
  return (
    <TitleAction label={blocklist.add} isOpen={refused !== undefined}>
      <p class="quiet" id="digests-hint">
        {blocklist.addText}
      </p>
      <PageForm action={BLOCKLIST_PATH} submit={blocklist.submit} problem={refused?.text}>
        <input type="hidden" name="action" value="add" />
        <label class="field">
          <span>{blocklist.digests}</span>
          <textarea
            class="digests"
            name="digests"
            rows={5}
            required
            spellcheck={false}
            autocomplete="off"
            autofocus={refused !== undefined}
            aria-invalid={refused === undefined ? undefined : "true"}
            aria-describedby={refused === undefined ? "digests-hint" : "problem digests-hint"}
          >
            {refused?.entered.digests ?? ""}
          </textarea>
        </label>
        <TextField
          name="reason"
          label={`${blocklist.reason} ${moderation.optional}`}
          type="text"
          autocomplete="off"
          maxLength={1000}
          value={refused?.entered.reason}
          isOptional
        />
      </PageForm>
    </TitleAction>
  );
}

interface ItemProps {
  readonly page: PageContext;
  readonly block: BlockView;
  /** The path of the shown list. */
  readonly path: string;
  readonly nowMs: number;
}

function BlockItem({ page, block, path, nowMs }: ItemProps) {
  const { blocklist, moderation } = page.texts;
  const { sha256, reason, addedBy, createdAt } = block;
  return (
    <li class="item report-file">
      <div class="item-head">
        <p>
          <code class="digest">{sha256}</code>
        </p>
        {reason === null ? null : (
          <p>
            <bdi>{visibleText(reason)}</bdi>
          </p>
        )}
        <p class="quiet">
          <Ago page={page} time={createdAt} nowMs={nowMs} />{" "}
          <bdi>{moderation.by(addedBy === "command_line" ? moderation.commandLine : addedBy)}</bdi>
        </p>
      </div>
      <div class="asks">
        <a class="button small" href={`${ADMIN_FILES_PATH}?${new URLSearchParams({ q: sha256 })}`}>
          {blocklist.files}
          <span class="unseen">: {sha256}</span>
        </a>
        <Ask
          label={blocklist.remove}
          about={sha256}
          path={path}
          fields={{ action: "remove", digest: sha256 }}
          text={blocklist.removeText}
          confirm={blocklist.remove}
        />
      </div>
    </li>
  );
}
