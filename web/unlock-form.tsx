/** @jsxImportSource preact */
import { formatRelative } from "./format.ts";
import { LockIcon } from "./icons.tsx";
import { HiddenFields, LocalTime } from "./share-components.tsx";
import { type ShareAccess, type SharePageProps, sharePath } from "./share-view.ts";

export interface UnlockFormProps {
  readonly share: SharePageProps;
  readonly access: Extract<ShareAccess, { kind: "locked" }>;
}

/** The form for the code of a protected share. Accepts it in any case, with spaces and dashes. */
export function UnlockForm({ share, access }: UnlockFormProps) {
  const hasProblem = access.problem !== undefined;
  return (
    <form
      class="unlock"
      method="post"
      action={sharePath(share, "/unlock")}
      data-in-place=""
      data-challenge={access.work?.challengeId}
      data-difficulty={access.work?.difficulty}
    >
      <HiddenFields share={share} />
      <label class="field" for="unlock-code">
        Code
      </label>
      <p class="quiet" id="unlock-hint">
        Enter the 6-character code from the sender.
      </p>
      <div class="code-row">
        <input
          class="code"
          id="unlock-code"
          name="unlockCode"
          type="text"
          required
          maxLength={32}
          autocomplete="one-time-code"
          autocapitalize="characters"
          autocorrect="off"
          spellcheck={false}
          enterkeyhint="go"
          autofocus={hasProblem}
          aria-invalid={hasProblem ? "true" : undefined}
          aria-describedby={hasProblem ? "unlock-problem unlock-hint" : "unlock-hint"}
        />
        <button class="button" type="submit">
          <LockIcon />
          Unlock
        </button>
      </div>
      {hasProblem ? (
        <p class="problem" id="unlock-problem">
          {access.problem} {access.work === undefined ? null : "Otherwise, use the private link. "}
          {access.retryAtMs === undefined ? null : <RetryAt timeMs={access.retryAtMs} nowMs={share.nowMs} />}
        </p>
      ) : null}
    </form>
  );
}

function RetryAt({ timeMs, nowMs }: { readonly timeMs: number; readonly nowMs: number }) {
  return (
    <>
      Try again {formatRelative(timeMs, nowMs, "en")}, after <LocalTime timeMs={timeMs} />.
    </>
  );
}
