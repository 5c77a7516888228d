/** @jsxImportSource preact */
/** A page with every component of the site in every state, for `scripts/screenshots --components`. */
import type { ComponentChildren } from "preact";
import { State } from "../../web/share/share-components.tsx";
import { ToastItem } from "../../web/site/browser/components/toasts.tsx";
import { Copyable } from "../../web/site/copyable.tsx";
import { EmptyState } from "../../web/site/empty-state.tsx";
import { FileName, FileTile } from "../../web/site/file-name.tsx";
import { BlockedIcon, CheckIcon, ClockIcon, InfoIcon, UploadIcon } from "../../web/site/icons.tsx";
import { LabelledSecret } from "../../web/site/labelled-secret.tsx";
import { renderDocument } from "../../web/site/layout.tsx";
import { NotifySelect } from "../../web/site/notify-select.tsx";
import { Done, Problem } from "../../web/site/outcome.tsx";
import type { PageContext } from "../../web/site/page-context.ts";
import { PageForm, TextField } from "../../web/site/page-form.tsx";
import { Ask, Panel } from "../../web/site/panel.tsx";
import { QrCode } from "../../web/site/qr-code.tsx";
import { Tabs } from "../../web/site/tabs.tsx";

/** Renders the page of components. */
export function renderComponents(page: PageContext): string {
  return renderDocument(page, {
    title: "Components",
    width: "wide",
    styles: ["signedIn", "dashboard"],
    children: (
      <>
        <Group title="Buttons">
          <div class="choices">
            <button class="button" type="button">
              Get a link
            </button>
            <button class="button" type="button" disabled>
              Get a link
            </button>
            <button class="button plain" type="button">
              Cancel
            </button>
            <button class="button danger" type="button">
              Delete
            </button>
            <a class="button" href="#link">
              <UploadIcon />
              Upload
            </a>
          </div>
          <div class="choices">
            <button class="button small" type="button">
              Copy link
            </button>
            <button class="button small" type="button" disabled>
              Copy link
            </button>
            <button class="button small danger-text" type="button">
              Remove
            </button>
          </div>
        </Group>
        <Group title="Fields">
          <PageForm action="#" submit="Save" problem="This address is taken. Choose another one.">
            <TextField name="name" label="Name" type="text" autocomplete="name" maxLength={100} value="Ada Lovelace" />
            <TextField name="wrong" label="Wrong" type="email" autocomplete="email" maxLength={100} value="ada" isWrong />
            <TextField name="hinted" label="With a hint" type="text" autocomplete="off" maxLength={100} hint="3 to 30 letters" isOptional />
            <TextField name="fixed" label="Read only" type="text" autocomplete="off" maxLength={100} value="ada@example.org" readOnly />
            <label class="field" for="empty">
              Refused by the browser
              <input id="empty" type="text" aria-invalid="true" aria-describedby="empty-error" />
              <span class="quiet block field-error" id="empty-error">
                Fill this in.
              </span>
            </label>
            <label class="field" for="number">
              A number
              <input id="number" type="number" value="3" />
            </label>
            <label class="field" for="time">
              A time
              <input id="time" type="datetime-local" value="2026-12-24T18:00" />
            </label>
            <label class="field" for="search">
              A search
              <input id="search" type="search" placeholder="Search files" />
            </label>
            <label class="field" for="text">
              Several lines
              <textarea id="text" rows={2} />
            </label>
            <label class="field" for="notices">
              A choice
              <NotifySelect texts={page.texts.notify} id="notices" notify={null} describedBy="notices-effect" />
              <span class="quiet" id="notices-effect">
                {page.texts.notify.effects.both}
              </span>
            </label>
            <label class="check">
              <input type="checkbox" checked />
              Require a code
              <span class="quiet">We create one for you</span>
            </label>
            <label class="option">
              <input type="radio" name="reason" checked />
              Malware
            </label>
            <label class="option">
              <input type="radio" name="reason" />
              Something else
            </label>
          </PageForm>
        </Group>
        <Group title="Outcomes and states">
          <Done>Saved.</Done>
          <Problem>Nothing was changed: the share has ended.</Problem>
          {(["wait", "good", "note", "bad"] as const).map((tone) => (
            <State key={tone} tone={tone} headline={`A state with the tone ${tone}`} detail="What it means, and what to do." />
          ))}
          <p class="choices">
            <span class="badge good">
              <CheckIcon />
            </span>
            <span class="badge note">
              <ClockIcon />
            </span>
            <span class="badge bad">
              <BlockedIcon />
            </span>
            <span class="badge">
              <InfoIcon />
            </span>
            <span class="tag">new</span>
            <span class="tag note">2 reports</span>
          </p>
        </Group>
        <Group title="Panels, lists and questions">
          <Tabs
            label="Lists"
            tabs={[
              { href: "#active", text: "Active", count: "3", isCurrent: true },
              { href: "#ended", text: "Ended", isCurrent: false },
            ]}
          />
          <Panel title="A panel" text="A sentence about its purpose.">
            <ul class="rows">
              {["laptop", "phone"].map((name) => (
                <li key={name} class="row">
                  <p>
                    {name} <span class="quiet block">Last used yesterday</span>
                  </p>
                  <Ask
                    label="Revoke"
                    path="#"
                    fields={{}}
                    text="Programs with this key stop working."
                    confirm="Revoke the key"
                    tone="danger"
                  />
                </li>
              ))}
            </ul>
          </Panel>
          <Panel title="A new object" text="Shown once: keep it." tone="fresh" />
          <Panel title="A dangerous panel" text="This cannot be undone." tone="danger" />
          <EmptyState title="Nothing here yet" text="What appears here, and how." />
          <EmptyState icon={<ClockIcon />} title="No share has ended." />
          <EmptyState icon={<UploadIcon />} title="Nothing sent yet" text="What you send appears here.">
            <a class="button" href="#send">
              Send files
            </a>
          </EmptyState>
        </Group>
        <Group title="Links, secrets and files">
          <Copyable page={page} id="copied" label="link" text="https://files.example.org/d/7kXq9Zab" />
          <LabelledSecret id="secret" label="Code" note="shown once" value="K7MP3X">
            <button class="button small" type="button">
              Copy
            </button>
          </LabelledSecret>
          <QrCode text="https://files.example.org/d/7kXq9Zab" label="QR code of the link" />
          <ul class="files">
            {FILES.map((name) => (
              <li key={name}>
                <FileTile name={name} />
                <p class="name">
                  <FileName name={name} />
                </p>
              </li>
            ))}
          </ul>
        </Group>
        <Group title="Menus">
          <div class="menu" style={STATIC}>
            <p class="menu-title">Harbour at dawn.jpg</p>
            <button class="menu-item" type="button">
              <UploadIcon />
              Download
            </button>
            <button class="menu-item" type="button" disabled>
              <ClockIcon />
              Rename
            </button>
            <a class="menu-item" href="#settings" aria-current="page">
              Settings
            </a>
            <button class="menu-item separated" type="button">
              <BlockedIcon />
              Delete
            </button>
          </div>
        </Group>
        <Group title="Dialogs">
          <dialog class="card" open style={STATIC}>
            <h2>Delete 2 files?</h2>
            <p>Their links stop working.</p>
            <div class="choices">
              <button class="button danger" type="button">
                Delete
              </button>
              <button class="button plain" type="button">
                Keep
              </button>
            </div>
          </dialog>
          <dialog class="card" open style={STATIC}>
            <h2>New folder</h2>
            <form class="form">
              <label class="field">
                Name
                <input type="text" value="Harbour" />
              </label>
              <p class="problem" role="alert">
                A folder with this name exists. Choose another name.
              </p>
              <div class="choices">
                <button class="button" type="submit" disabled>
                  Create
                </button>
                <button class="button plain" type="button">
                  Cancel
                </button>
              </div>
            </form>
          </dialog>
        </Group>
        <Group title="Messages">
          <section class="toasts" style={STATIC}>
            <ToastItem text="12 files uploaded." />
            <ToastItem text="Harbour at dawn.jpg will be deleted." ms={10_000} actions={[{ label: "Undo", run: doNothing }]} />
            <ToastItem
              text="Not deleted. Connection lost."
              isProblem
              actions={[
                { label: "Keep", run: doNothing },
                { label: "Try again", run: doNothing },
              ]}
            />
          </section>
        </Group>
      </>
    ),
  });
}

/** Shows an element in the flow of the page that is in front of it otherwise. */
const STATIC = { position: "static" };
const doNothing = (): void => undefined;
const FILES = ["Harbour at dawn.jpg", "Accounts 2026.xlsx", "Backup.tar.zst", "Notes.md", "README"];

function Group({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
