import type { DocsTexts } from "./en.ts";

export const docs: DocsTexts = {
  title: "Documentation",
  description:
    "Des guides, et chaque opération de ce serveur avec ses champs, limites, erreurs et un exemple. Les descriptions sont en anglais.",
  contents: "Sommaire",
  overview: "Vue d’ensemble",
  guidesTitle: "Guides",
  reference: "Référence de l’API",
  open: "Ouvrir",
  search: "Rechercher",
  searchHint: "Rechercher guides, opérations et champs",
  noResults: "Rien ne contient ces mots.",
  operationsOf: (count) => (count === 1 ? "1 opération" : `${count} opérations`),
  groupText: "Ouvrez une opération pour ses champs, limites, erreurs et un exemple. Les descriptions sont en anglais.",
  mcpText: "Connectez un assistant ou un agent de programmation.",
  guides: {
    curl: {
      title: "curl",
      description: "Envoyez et récupérez des fichiers dans tout terminal. Il n’y a rien à installer.",
      steps: {
        send: { title: "Envoyer un fichier", text: "La réponse est le lien." },
        limits: { title: "Limiter le lien", text: "Ce lien expire après une heure ou un téléchargement." },
        code: {
          title: "Exiger un code",
          text: "La réponse contient le code dans `unlockCode`, et dans `handoffUrl` un lien privé qui n’en demande pas. Tous deux n’apparaissent qu’une fois.",
        },
        password: {
          title: "Exiger un mot de passe",
          text: "Il a de 8 à 128 caractères. Il est envoyé dans un en-tête, jamais dans l’URL.",
        },
        several: { title: "Envoyer plusieurs fichiers", text: "Chaque fichier reçoit un lien. La réponse en a un par ligne." },
        pipe: { title: "Envoyer la sortie d’un programme", text: "La fin de l’URL est le nom du fichier." },
        account: {
          title: "Envoyer depuis votre compte",
          text: "Créez une clé sur `/settings/keys` et mettez-la dans la variable `KEY`.",
        },
        download: {
          title: "Télécharger un partage",
          text: "Remplacez `SHORTID` par la fin du lien. Plusieurs fichiers arrivent en un ZIP.",
        },
      },
    },
    client: {
      title: "Programme pour le terminal",
      description: "Le programme `filehost` envoie des dossiers, chiffre et reprend après une coupure.",
      steps: {
        server: { title: "Choisir ce serveur", text: "Sans compte, c’est tout." },
        signIn: {
          title: "Ou se connecter",
          text: "Votre navigateur demande l’autorisation. Par SSH, la commande affiche un code à la place.",
        },
        send: {
          title: "Envoyer un fichier",
          text: "Affiche le lien, le code et un lien privé. Après une coupure, la même commande reprend.",
        },
        folder: { title: "Envoyer un dossier", text: "Tous ses fichiers ont un seul lien." },
        encrypt: {
          title: "Chiffrer de bout en bout",
          text: "Seules les personnes ayant le lien entier peuvent déchiffrer le fichier. Ce serveur ne le peut pas.",
        },
        download: {
          title: "Télécharger un partage",
          text: "Remplacez `SHORTID` par la fin du lien. Chaque fichier est vérifié par son SHA-256.",
        },
        list: {
          title: "Voir ce que vous avez envoyé",
          text: "Liste ce que cet appareil a envoyé. Dans un compte, liste les fichiers, et avec `--shares` les partages.",
        },
      },
    },
    "receive-webhooks": {
      title: "Recevoir des webhooks",
      description: "Ce serveur prévient votre programme quand des fichiers sont prêts, téléchargés ou expirés.",
      steps: {
        subscribe: {
          title: "S’abonner",
          text: "Votre clé doit avoir le droit `full`, et votre récepteur HTTPS. La réponse contient son `id`, et une seule fois le `secret` qui signe les événements.",
        },
        verify: {
          title: "Vérifier la signature",
          text: "`rawBody` est le corps tel qu’il est arrivé. Répondez 2xx en 10 secondes, sinon l’événement est renvoyé jusqu’à sept fois.",
        },
        try: { title: "Envoyer un événement d’essai", text: "Mettez l’`id` dans la variable `WEBHOOK`." },
        log: { title: "Voir les envois", text: "Chacun a ses tentatives, avec le statut que votre récepteur a renvoyé." },
      },
    },
  },
  basics: "Notions de base",
  baseUrl: "URL de base",
  keys: "Clés d’API",
  keysText: "Envoyez votre clé dans l’en-tête `Authorization: Bearer bc_…`. Les exemples la lisent dans la variable `KEY`.",
  scopes: {
    files_read: "lit les fichiers et les partages",
    files_write: "modifie aussi fichiers, dossiers et partages",
    full: "gère aussi les webhooks et les clés",
    admin: "administre aussi le serveur : créée avec `filehost keys create --admin`",
  },
  retries: "Répétitions",
  retriesText:
    "Envoyez l’en-tête `Idempotency-Key` (8 à 200 caractères) avec une écriture. Pendant un jour, la même clé et le même corps renvoient la première réponse sans rien changer.",
  programs: "Pour les programmes",
  openApi: "Document OpenAPI",
  llms: "llms.txt",
  mcp: "Outils pour assistants (MCP)",
  errors: "Erreurs",
  errorsText: "Chaque erreur est du JSON avec ces champs. Ne répétez que 429, 503, ainsi que 409 et 507 avec `Retry-After`.",
  errorFields: "Champs d’une erreur",
  errorCodes: "Codes par statut",
  key: { none: "Sans clé", optional: "Clé facultative", required: "Clé requise" },
  scope: "droit",
  inputs: { path: "Chemin", query: "Requête", header: "En-têtes", json: "Corps JSON", multipart: "Champs du formulaire" },
  required: "requis",
  oneOf: "Une valeur parmi",
  needsOneOf: "Envoyez au moins un de",
  response: "Réponse",
  fieldsOf: (count) => (count === 1 ? "1 champ" : `${count} champs`),
  envelopes: {
    data: "Dans data",
    merged: "Au premier niveau et dans data",
    file: "Dans data et dans file",
    events: "De chaque événement envoyé",
    none: "Au premier niveau",
  },
  example: "Requête",
  copy: "Copier",
  linkTo: "Lien vers",
};
