import { counted } from "../format.ts";
import type {
  AliasTexts,
  AllStatusTexts,
  ClaimTexts,
  ErrorTexts,
  ExpiryTexts,
  FieldErrorTexts,
  LayoutTexts,
  ListTexts,
  MessageTexts,
  NotifyTexts,
  PageTexts,
  ShowPasswordTexts,
  SignOutTexts,
  TypeTexts,
  UploadTexts,
} from "./en.ts";

export const layout: LayoutTexts = {
  send: "Envoyer",
  skip: "Aller au contenu",
  publicPage: "Page publique",
  help: "Aide et documentation",
  shareYourOwn: "Partager vos fichiers",
  terms: "Conditions",
  privacy: "Confidentialité",
  imprint: "Mentions légales",
  abuse: "Signaler un abus",
  language: "Langue",
  otherName: "Ce site a une autre adresse. Les liens utilisent :",
  noUrl:
    "Les liens ne fonctionneront que sur le serveur lui-même. Demandez à l’administrateur de définir FILEHOST_URL. Les liens utilisent :",
};

export const page: PageTexts = {
  copied: "Copié",
  selected: "Sélectionné",
  selectedHint: "Sélectionné. Appuyez sur Ctrl et C pour copier.",
  checking: "Vérification…",
  starting: "Votre téléchargement commence.",
  downloadStarted: "Téléchargement commencé",
  started: (left) => `Votre téléchargement a commencé. ${left}`,
  noneLeft: "Plus aucun téléchargement possible.",
};

export const fieldErrors: FieldErrorTexts = {
  missing: {
    name: "Saisissez un nom.",
    title: "Saisissez ce qu’il vous faut, comme « Photos de la fête ».",
    label: "Saisissez un nom pour la clé.",
    username: "Saisissez un nom d’utilisateur.",
    login: "Saisissez votre adresse e-mail ou votre nom d’utilisateur.",
    link: "Saisissez le lien des fichiers.",
    token: "Saisissez le jeton de compte, qui commence par claim_.",
    confirm: "Saisissez le texte ci-dessus pour confirmer.",
    digests: "Saisissez au moins un SHA-256.",
    password: "Saisissez un mot de passe.",
    code: "Saisissez le code.",
    unlockCode: "Saisissez le code.",
    other: "Saisissez quelque chose ici.",
  },
  noPassword: "Saisissez un mot de passe.",
  noFile: "Choisissez un fichier.",
  notChosen: "Choisissez une valeur.",
  notChecked: "Cochez cette case pour continuer.",
  email: "Saisissez une adresse e-mail, comme ada@example.org.",
  url: "Saisissez une adresse web qui commence par https://.",
  tooShort: (count) => `Saisissez au moins ${count.toLocaleString("fr")} caractères.`,
  tooLong: (count) => `Saisissez au plus ${count.toLocaleString("fr")} caractères.`,
  tooSmall: (least) => `Saisissez ${least} ou plus.`,
  tooLarge: (most) => `Saisissez ${most} ou moins.`,
  tooEarly: "Choisissez un moment plus tardif.",
  tooLate: "Choisissez un moment plus proche.",
  notWhole: "Saisissez un nombre entier.",
  other: "Vérifiez votre saisie.",
};

export const messages: MessageTexts = {
  takedownReasons: {
    malware: "L’administrateur l’a retiré à cause d’un logiciel malveillant.",
    phishing: "L’administrateur l’a retiré pour hameçonnage ou fraude.",
    illegal: "L’administrateur l’a retiré parce que son contenu est illégal.",
    copyright: "L’administrateur l’a retiré à la suite d’une plainte pour droit d’auteur.",
    personal_data: "L’administrateur l’a retiré pour protéger des données personnelles.",
    other: "L’administrateur l’a retiré.",
  },
  kinds: {
    notFound: {
      title: "Page introuvable",
      text: "Vérifiez l’adresse. Ce qui était ici a peut-être été supprimé.",
    },
    missing: {
      title: "Lien introuvable",
      text: "Rien n’est partagé à cette adresse.",
      next: "Vérifiez que le lien est complet, ou demandez à la personne qui vous l’a donné.",
    },
    expired: {
      title: "Ce lien a expiré",
      text: "Plus rien n’est partagé à cette adresse.",
      next: "Demandez à l’expéditeur de partager à nouveau le fichier.",
    },
    usedUp: {
      title: "Ce lien ne permet plus de téléchargement",
      text: "Le fichier a été téléchargé autant de fois que l’expéditeur l’a permis.",
      next: "Si ce n’était pas vous, demandez à l’expéditeur de le partager à nouveau.",
    },
    blocked: {
      title: "Ce fichier est bloqué",
      text: "L’analyse a trouvé un logiciel malveillant, ou n’a pas pu être terminée : personne ne peut télécharger ce fichier.",
      next: "Prévenez l’expéditeur. Si le fichier est inoffensif, l’administrateur peut le vérifier.",
    },
    blocklisted: {
      title: "Bloqué par l’administrateur",
      text: "Ce site n’autorise pas ce fichier : personne ne peut le télécharger.",
      next: "Si c’est une erreur, demandez à l’administrateur.",
    },
    damaged: {
      title: "Ce fichier est arrivé endommagé",
      text: "Il ne correspond pas au fichier de l’expéditeur : personne ne peut le télécharger.",
      next: "Demandez à l’expéditeur de l’envoyer à nouveau.",
    },
    takenDown: {
      title: "Ce fichier a été retiré",
      text: "L’administrateur l’a retiré.",
      next: "Est-ce une erreur ? Demandez à l’expéditeur de contacter l’administrateur.",
    },
    notAvailable: {
      title: "Ce lien n’est pas disponible",
      text: "Les fichiers de l’expéditeur ne sont pas disponibles pour le moment.",
      next: "Demandez à l’expéditeur, ou réessayez plus tard.",
    },
    notReady: {
      title: "Pas encore prêt",
      text: "Le fichier est encore en cours d’envoi ou d’analyse.",
      next: "Revenez en arrière et attendez : la page indique quand le fichier est prêt.",
    },
    badSignedUrl: {
      title: "Ce lien de téléchargement ne fonctionne pas",
      text: "Il a expiré ou est incomplet.",
      next: "Ouvrez à nouveau le lien du partage et appuyez sur Télécharger.",
    },
    noHandoff: {
      title: "Ce lien privé ne fonctionne pas",
      text: "Il a expiré, est incomplet ou a été remplacé.",
      next: "Vérifiez que le lien est complet, ou demandez-en un nouveau.",
    },
    noDeletion: {
      title: "Rien à supprimer",
      text: "Le fichier est déjà supprimé, ou le lien est incomplet.",
      next: "Vérifiez qu’il ne manque pas de caractère au lien et qu’il n’y en a pas de trop.",
    },
    deleted: {
      title: "Fichier supprimé",
      text: "Son lien ne fonctionne plus pour personne.",
      next: "Les téléchargements déjà commencés peuvent encore se terminer.",
    },
    reported: {
      title: "Signalement envoyé",
      text: "L’administrateur de ce serveur peut maintenant le lire.",
      next: "Si vous avez indiqué une adresse e-mail, il pourra vous écrire.",
    },
    noRequest: {
      title: "Demande introuvable",
      text: "Personne ne demande de fichiers à cette adresse, ou le lien a été remplacé.",
      next: "Vérifiez le lien, ou demandez-en un nouveau.",
    },
    noPublicPage: {
      title: "Il n’y a pas de page publique ici",
      text: "Personne ne montre de fichiers publics sous ce nom.",
      next: "Vérifiez le nom, ou demandez sa nouvelle adresse à la personne.",
    },
    unknownApplication: {
      title: "Cette demande d’une application ne fonctionne pas",
      text: "L’application est inconnue ici, ou veut vous envoyer à une adresse qu’elle n’a pas déclarée.",
      next: "Retournez à l’application et connectez-la à nouveau.",
    },
    requestUnavailable: {
      title: "Cette demande n’est pas disponible",
      text: "Le compte qui demandait des fichiers n’en accepte pas actuellement.",
      next: "Demandez à la personne qui vous a envoyé le lien.",
    },
    requestClosed: {
      title: "Cette demande est close",
      text: "Plus aucun fichier n’est attendu ici. Votre envoi est bien arrivé.",
      next: "Demandez à la personne qui vous a envoyé le lien.",
    },
    requestExpired: {
      title: "Cette demande a expiré",
      text: "Le délai pour envoyer des fichiers ici est passé.",
      next: "Demandez un nouveau lien.",
    },
    requestUsedUp: {
      title: "Cette demande a tout reçu",
      text: "Elle n’accepte plus de fichiers.",
      next: "S’il manque les vôtres, demandez un nouveau lien.",
    },
    requestFull: {
      title: "Il n’y a pas de place en ce moment",
      text: "L’espace de la personne qui demande est plein.",
      next: "Prévenez-la, et réessayez plus tard.",
    },
    locked: {
      title: "Ce lien demande un code",
      text: "L’expéditeur a le code, ou un lien privé qui n’en demande pas.",
      next: "Ouvrez le lien et saisissez le code, ou demandez à l’expéditeur.",
    },
    payment: {
      title: "Ce fichier est payant",
      text: "Seuls les acheteurs peuvent le télécharger.",
      next: "Demandez à l’expéditeur comment l’acheter.",
    },
    crossSite: {
      title: "Ouvrez cette page à sa propre adresse",
      text: "Un autre site a envoyé cette demande : rien n’a été fait.",
      next: "Ouvrez le lien à cette adresse et réessayez.",
    },
    refused: {
      title: "Cela n’a pas fonctionné",
      text: "Le serveur n’a pas pu accepter votre demande.",
      next: "Revenez en arrière, corrigez et réessayez.",
    },
    tooManyRequests: {
      title: "Trop de demandes",
      text: "De nombreuses demandes sont venues de votre réseau en peu de temps.",
      next: "Attendez une minute, puis réessayez.",
    },
    busy: {
      title: "Le serveur est occupé",
      text: "Il ne peut pas répondre pour l’instant. Votre lien est bon.",
      next: "Réessayez dans une minute.",
    },
    error: {
      title: "Une erreur est survenue",
      text: "Le problème vient de chez nous, pas de vous.",
      next: "Réessayez. Si l’erreur persiste, envoyez l’identifiant de la demande à l’administrateur.",
    },
  },
  requestId: "Identifiant de la demande :",
  ownUsedUp: "Le fichier a été téléchargé autant de fois que vous l’avez permis.",
  retry: "Réessayer",
  start: "Aller à l’accueil",
  contact: "Contacter l’administrateur",
};

export const errors: ErrorTexts = {
  offline: "Connexion perdue. Vérifiez-la et réessayez.",
  failed: "Le serveur n’a pas pu le faire. Réessayez.",
  byCode: {
    NO_FILE: "Aucun fichier n’a été envoyé. Revenez en arrière et choisissez-en un.",
    SIZE_MISMATCH: "Le fichier n’est pas arrivé en entier. Envoyez-le de nouveau.",
    DIGEST_MISMATCH: "Le fichier est arrivé endommagé. Envoyez-le de nouveau.",
    FILE_DIGEST_MISMATCH: "Le fichier est arrivé endommagé. Envoyez-le de nouveau.",
    UNAUTHENTICATED: "Connectez-vous d’abord, puis réessayez.",
    FORBIDDEN: "Vous ne pouvez pas modifier cela ici.",
    PROOF_REQUIRED: "Saisissez d’abord de nouveau votre mot de passe.",
    SECOND_FACTOR_REQUIRED: "Ce compte demande aussi un code. Connectez-vous sur la page prévue.",
    WRONG_TOKEN: "Votre accès à ce partage a pris fin. Créez-en un nouveau.",
    SIGNATURE_INVALID: "Ce lien a expiré ou est incomplet.",
    NOT_FOUND: "Cela n’existe plus, ou l’adresse est fausse.",
    SCAN_BLOCKED: "L’analyse a trouvé un logiciel malveillant ou a échoué : personne ne peut télécharger le fichier.",
    SCAN_PENDING: "L’analyse de ce fichier n’est pas terminée.",
    METHOD_NOT_ALLOWED: "Cette adresse est destinée aux programmes. Il n’y a pas de page ici.",
    REQUEST_TIMEOUT: "La connexion était trop lente et le serveur a cessé d’attendre. Recommencez l’envoi.",
    UPLOAD_INCOMPLETE: "L’envoi n’est pas encore complet. Attendez qu’il soit terminé.",
    PARTS_MISSING: "Des parties du fichier ne sont pas arrivées. Choisissez le même fichier pour continuer.",
    UPLOAD_CLOSED: "Cet envoi est terminé. Recommencez-en un nouveau.",
    UPLOAD_IN_PROGRESS: "Ce fichier est déjà en cours d’envoi. Attendez la fin de l’envoi.",
    IDEMPOTENCY_IN_PROGRESS: "La même demande est encore en cours. Attendez un instant.",
    IDEMPOTENCY_KEY_REUSED: "Cela a déjà été envoyé avec un autre contenu. Rechargez la page et réessayez.",
    HAS_BUYERS: "Des acheteurs perdraient ce qui est payé ou en cours de paiement. Remboursez ce qui est payé : Réglages, Vente.",
    SELLER_NOT_READY: "Configurez d’abord la vente : Réglages, Vente.",
    ALIAS_TAKEN: "Ce lien personnalisé est déjà pris. Choisissez-en un autre.",
    TOO_MANY_ALIASES: "Il y a trop de liens personnalisés. Supprimez-en un d’abord.",
    IMMUTABLE: "Cela ne peut plus être modifié.",
    FOLDER_NOT_EMPTY: "Le dossier n’est pas vide. Supprimez ou déplacez d’abord son contenu.",
    FOLDER_CYCLE: "Un dossier ne peut pas être déplacé dans lui-même.",
    FOLDER_TOO_DEEP: "Les dossiers ont au plus 32 niveaux. Choisissez un dossier plus haut.",
    TOO_MANY_FOLDERS: "Un compte peut avoir au plus 10 000 dossiers. Supprimez-en d’abord quelques-uns.",
    USERNAME_REQUIRED: "Une page publique exige un nom d’utilisateur. Choisissez-en un dans votre profil.",
    PRO_REQUIRED: "Cela exige un compte Pro.",
    SHARE_EXPIRED: "Ce partage a expiré. Créez-en un nouveau.",
    REQUEST_CLOSED: "Cette demande n’accepte plus de fichiers. Demandez un autre lien.",
    CONFLICT: "Une autre modification a eu lieu en même temps. Rechargez la page et réessayez.",
    PRECONDITION_FAILED: "Le fichier a changé. Téléchargez-le de nouveau.",
    RANGE_NOT_SATISFIABLE: "Le fichier est plus court. Téléchargez-le de nouveau depuis le début.",
    FILE_TOO_LARGE_FOR_DIRECT: "Le fichier est trop volumineux pour être envoyé en une fois.",
    BODY_TOO_LARGE: "L’envoi est trop volumineux.",
    UNSUPPORTED_MEDIA_TYPE: "Le serveur n’accepte pas ce type de contenu ici.",
    ENCRYPTED_REFUSED: "Ce serveur n’accepte pas les fichiers chiffrés. Envoyez le fichier non chiffré.",
    ENCRYPTION_REQUIRED: "Cette demande n’accepte que des fichiers chiffrés. Envoyez-les sur sa page.",
    TOO_MANY_UPLOADS: "Trop d’envois sont en cours. Attendez que l’un d’eux soit terminé.",
    UNAVAILABLE: "Le serveur ne peut pas répondre pour le moment. Réessayez dans une minute.",
    INTERNAL: "Une erreur s’est produite sur le serveur. Réessayez.",
    STORAGE_FULL: "Le serveur n’a plus d’espace. Réessayez plus tard ou adressez-vous à l’administrateur.",
  },
  byField: {
    title: "« Titre » : 120 caractères au maximum.",
    message: "« Message » : 480 caractères au maximum.",
    priceCents: "« Prix en dollars américains » : Saisissez un prix d’au moins 1,00, comme 4,99, ou rien.",
    maxDownloads: "« Téléchargements » : entrez un nombre entier supérieur à 0, ou rien.",
    ttl: "« Le lien expire après » : choisissez une autre durée.",
    expiresAt: "« Expire » : choisissez une autre date.",
    alias: "« Lien personnalisé » : 4 à 16 lettres et chiffres avec un trait d’union. Certains noms sont réservés.",
    maxBytes: "« Taille totale » : saisissez une taille, par exemple 500 Mo ou 2 Go.",
    maxFileBytes: "« Plus grand fichier » : saisissez une taille, par exemple 500 Mo ou 2 Go.",
    relativePath: "Le nom ou le chemin d’un fichier est trop long.",
    select: "Sélectionnez au moins un fichier.",
    encryptTo: "« Chiffrer de bout en bout » : choisissez de nouveau votre clé, ou renoncez au chiffrement.",
  },
  fileTooLarge: (limit) => `Le fichier est trop volumineux : ${limit} au maximum.`,
  storageFull: (limit) => `Votre espace de ${limit} est plein. Supprimez des fichiers ou attendez que certains expirent.`,
  tooManyFiles: (limit) => `La limite de ${limit} fichiers est atteinte. Supprimez-en ou attendez que certains expirent.`,
  hasBuyers: (count) =>
    `${count === 1 ? "1 acheteur perdrait" : `${count} acheteurs perdraient`} ce qui est payé ou en cours de paiement. Remboursez ce qui est payé : Réglages, Vente.`,
  nevertheless: "Continuer quand même",
  shipmentFull: "Ce lien ne peut pas contenir plus de fichiers. Envoyez les autres avec un autre lien.",
  requestFull: "Cette demande n’a plus de place pour d’autres fichiers.",
  ingestFull: "Le serveur n’accepte plus de fichiers pour le moment. Réessayez plus tard.",
  keptTooLong: (longest) => `Les fichiers sont conservés au plus ${longest}. Choisissez une durée plus courte.`,
  tooManyRequests: (wait) => `De nombreuses demandes sont venues de votre réseau. Vous pourrez continuer dans ${wait}.`,
};

export const list: ListTexts = {
  allFiles: "Tous les fichiers",
  path: "Dossier",
  search: "Rechercher dans tous les fichiers",
  find: "Rechercher",
  clear: "Effacer la recherche",
  found: (count) => (count === 0 ? "Aucun résultat." : `${counted(count, "fr", "fichier trouvé", "fichiers trouvés")}.`),
  sort: "Trier par",
  sorts: { name: "Nom", size: "Taille", newest: "Plus récents" },
  view: "Affichage",
  views: { list: "Liste", grid: "Grille" },
  select: "Sélectionner",
  openFolder: "Ouvrir le dossier",
  page: (page, pages) => `Page ${page} sur ${pages}`,
  previous: "Page précédente",
  next: "Page suivante",
  showMore: (count) => `Afficher ${count} de plus`,
  downloadSelected: "Télécharger la sélection en ZIP",
  clearSelection: "Effacer la sélection",
};

export const status: AllStatusTexts = {
  uploading: {
    headline: "Envoi en cours",
    detail: "Vous pourrez télécharger le fichier ensuite. Cette page s’actualise automatiquement.",
    word: "Envoi en cours…",
  },
  scanning: {
    headline: "Analyse du fichier…",
    detail: "Vous pourrez télécharger le fichier ensuite. Cette page s’actualise automatiquement.",
    word: "Analyse…",
  },
  scanned: { headline: "Analysé : aucun logiciel malveillant trouvé", detail: "", word: "Analysé" },
  scannedInParts: {
    headline: "Analysé en plusieurs parties : aucun logiciel malveillant trouvé",
    detail: "Le fichier est trop volumineux pour être analysé en une seule fois.",
    word: "Analysé en plusieurs parties",
  },
  unscanned: {
    headline: "Non analysé",
    detail: "N’ouvrez ce fichier que si vous faites confiance à l’expéditeur.",
    word: "Non analysé",
  },
  encrypted: {
    headline: "Chiffrement de bout en bout",
    detail: "Le serveur n’a pas pu l’analyser. Ne l’ouvrez que si vous faites confiance à l’expéditeur.",
    word: "Chiffré, non analysé",
  },
  infected: {
    headline: "Bloqué : logiciel malveillant trouvé",
    detail: "Vous ne pouvez pas télécharger ce fichier. Prévenez l’expéditeur.",
    word: "Bloqué : logiciel malveillant",
  },
  damaged: {
    headline: "Bloqué : le fichier est arrivé endommagé",
    detail: "Vous ne pouvez pas le télécharger. Demandez à l’expéditeur de l’envoyer à nouveau.",
    word: "Bloqué : endommagé",
  },
  blocklisted: {
    headline: "Bloqué par l’administrateur",
    detail: "Ce site n’autorise pas ce fichier. Si c’est une erreur, demandez à l’administrateur.",
    word: "Bloqué par l’administrateur",
  },
  scanFailed: {
    headline: "Bloqué : échec de l’analyse",
    detail: "Réessayez plus tard, ou demandez à l’expéditeur de l’envoyer à nouveau.",
    word: "Bloqué : échec de l’analyse",
  },
};

export const types: TypeTexts = {
  kinds: {
    image: (format) => `Image ${format}`,
    video: (format) => `Vidéo ${format}`,
    audio: (format) => `Audio ${format}`,
    document: (format) => `Document ${format}`,
    book: (format) => `Livre ${format}`,
    spreadsheet: (format) => `Feuille de calcul ${format}`,
    presentation: (format) => `Présentation ${format}`,
    text: (format) => `Texte ${format}`,
    table: (format) => `Tableau ${format}`,
    webPage: (format) => `Page web (${format})`,
    styleSheet: (format) => `Feuille de style (${format})`,
    calendar: (format) => `Calendrier (${format})`,
    program: (language) => `Programme ${language}`,
    script: (language) => `Script ${language}`,
    data: (format) => `Données ${format}`,
    database: (format) => `Base de données ${format}`,
    archive: (format) => `Archive ${format}`,
    diskImage: (format) => `Image disque ${format}`,
    package: (format) => `Paquet ${format}`,
    app: (system) => `Application ${system}`,
    file: (extension) => `Fichier ${extension}`,
  },
  families: {
    image: "Image",
    video: "Vidéo",
    audio: "Audio",
    font: "Police",
    text: "Texte",
    model: "Modèle 3D",
    message: "Message",
  },
  byExtension: { key: "Fichier de clé", pub: "Clé publique" },
  file: "Fichier",
};

export const notify: NotifyTexts = {
  label: "Notifications pour ce lien",
  choices: { "": "Selon vos réglages", true: "Toujours", false: "Jamais" },
  effects: {
    both: "Dans vos réglages : une notification à chaque téléchargement et un jour avant l’expiration.",
    downloaded: "Dans vos réglages : une notification à chaque téléchargement, aucune avant l’expiration.",
    expiring: "Dans vos réglages : une notification un jour avant l’expiration, aucune pour les téléchargements.",
    none: "Dans vos réglages : aucune notification.",
  },
  toSettings: "Réglages des notifications",
};

export const alias: AliasTexts = {
  label: "Lien personnalisé",
  note: "Par exemple voyage-a-rome. Chacun peut le deviner.",
  aliasedNote: "Chacun peut le deviner. Si vous le videz, ses liens ne fonctionnent plus.",
  wrong: "Utilisez 4 à 16 lettres et chiffres avec un trait d’union.",
};

export const expiry: ExpiryTexts = {
  never: "Jamais",
  latest: (time) => `Le plus tard possible : ${time}`,
  other: "Un autre moment…",
  otherLabel: "Date et heure",
  set: "Fixer",
};

/** The button that shows a typed password. */
export const showPassword: ShowPasswordTexts = {
  show: { short: "Afficher", long: "Afficher le mot de passe" },
  hide: { short: "Masquer", long: "Masquer le mot de passe" },
  shown: "Le mot de passe est visible.",
  hidden: "Le mot de passe est masqué.",
};

export const claim: ClaimTexts = {
  title: (count) =>
    count === 1
      ? "1 partage de cet appareil n’est pas dans votre compte"
      : `${count} partages de cet appareil ne sont pas dans votre compte`,
  note: "Dans votre compte, vous pouvez les prolonger, modifier et fermer depuis tout appareil.",
  claim: (count) => (count === 1 ? "Ajouter 1 partage à votre compte" : `Ajouter ${count} partages à votre compte`),
  claiming: "Ajout en cours…",
  decline: "Pas maintenant",
  declined: "Ils restent tels quels.",
  claimed: (count) => (count === 1 ? "1 partage a été ajouté à votre compte." : `${count} partages ont été ajoutés à votre compte.`),
  ended: "Il a expiré ou a été supprimé.",
  taken: "Il appartient à un autre compte.",
  andMore: (name, count) => `${name} et ${count.toLocaleString("fr")} de plus`,
};

export const upload: UploadTexts = {
  interrupted: "L’envoi a été interrompu. Vérifiez votre connexion et réessayez.",
  refused: "Le serveur n’a pas pu accepter l’envoi. Réessayez.",
  changed: "Le fichier a changé ou ne peut pas être lu. Choisissez-le à nouveau.",
  notRemembered: "Ce navigateur n’a pas pu enregistrer la progression de l’envoi chiffré. Libérez de l’espace et réessayez.",
  proxy: (status) =>
    `Un proxy devant le serveur a refusé l’envoi${status === undefined ? "" : ` (statut ${status})`}. Prévenez l’administrateur.`,
  unreachable: "Ce navigateur ne peut pas joindre le stockage des fichiers.",
  notLoaded: "Une partie de cette page n’a pas été chargée. Vérifiez votre connexion et rechargez la page.",
  cancelled: "Annulé",
  continues: "L’envoi reprendra automatiquement.",
  waits: {
    lost: "Connexion perdue.",
    busy: "Le serveur est occupé.",
    many: "Trop de requêtes ; en attente.",
    full: "Le serveur n’a plus de place.",
    broken: "Le serveur a un problème.",
  },
  finals: {
    many: "Trop de requêtes sont venues de votre réseau. Réessayez plus tard.",
    busy: "Le serveur est occupé. Réessayez dans quelques minutes.",
    full: "Le serveur n’a plus de place. Réessayez plus tard ou prévenez l’administrateur.",
  },
};

export const signOut: SignOutTexts = {
  title: "Garder les clés sur cet appareil ?",
  keys: (count) =>
    `Cet appareil a ${count === 1 ? "la clé d’un partage chiffré" : `les clés de ${count.toLocaleString("fr")} partages chiffrés`}. Le serveur ne les a pas. Sans la clé, vous ne pouvez plus copier le lien.`,
  requestKeys: (count) =>
    `Cet appareil a ${count === 1 ? "votre clé" : `vos ${count.toLocaleString("fr")} clés`} pour les demandes chiffrées, sous votre phrase secrète. Sinon, il vous faut le fichier de récupération pour ouvrir ce que vous avez reçu.`,
  keep: "Se déconnecter, garder les clés",
  forget: "Se déconnecter et les oublier",
  stay: "Annuler",
};
