import type { BuiltInLanguage } from '../../../apis/subscriptions/languages.ts';

/** The texts of the page itself, which has them in all languages. */
export interface PageWords {
  /** Behind it stands the domain. */
  readonly title: string;
  readonly field: string;
  readonly keys: string;
  readonly lookUp: string;
  readonly mask: string;
  readonly language: string;
  readonly list: string;
  readonly copyReply: string;
  readonly copyAnswer: string;
  readonly lookingUp: string;
  readonly done: string;
  readonly stopped: string;
  /** For a page that was loaded again, which has no token. */
  readonly openAddress: string;
  readonly replyCopied: string;
  readonly answerCopied: string;
  readonly cannotCopy: string;
}

/** By language; only the page loads them. */
export const PAGE_WORDS: Readonly<Record<BuiltInLanguage, PageWords>> = {
  en: {
    title: 'Readers of',
    field: 'Address, e-mail, link or order number; +HANDLE checks a product',
    keys: 'Enter looks up, empty again; arrow keys recall; Alt+C copies the reply, Alt+M masks addresses; drop a list (.csv, .xlsx) anywhere.',
    lookUp: 'Look up',
    mask: 'Mask addresses',
    language: 'Language',
    list: 'Open list',
    copyReply: 'Copy reply',
    copyAnswer: 'Copy answer',
    lookingUp: 'Looking up …',
    done: 'Done.',
    stopped: 'gatectl is no longer running: start gatectl reader --web again',
    openAddress: 'open the address that gatectl printed',
    replyCopied: 'Reply copied.',
    answerCopied: 'Answer copied.',
    cannotCopy: 'The browser does not allow copying: select the text instead.',
  },
  de: {
    title: 'Leser von',
    field: 'Adresse, Mail, Link oder Bestellnummer; +PRODUKT prüft ein Produkt',
    keys: 'Enter fragt ab, leer noch einmal dasselbe; Pfeiltasten holen frühere Eingaben; Alt+C kopiert die Antwort, Alt+M verbirgt Adressen; ziehen Sie eine Liste (.csv, .xlsx) irgendwohin auf die Seite.',
    lookUp: 'Abfragen',
    mask: 'Adressen verbergen',
    language: 'Sprache',
    list: 'Liste öffnen',
    copyReply: 'Antwort kopieren',
    copyAnswer: 'Alles kopieren',
    lookingUp: 'Wird abgefragt …',
    done: 'Fertig.',
    stopped: 'gatectl läuft nicht mehr: Starten Sie gatectl reader --web neu',
    openAddress: 'öffnen Sie die Adresse, die gatectl ausgegeben hat',
    replyCopied: 'Antwort kopiert.',
    answerCopied: 'Alles kopiert.',
    cannotCopy: 'Der Browser lässt das Kopieren nicht zu: Markieren Sie stattdessen den Text.',
  },
  es: {
    title: 'Lectores de',
    field: 'Dirección, correo, enlace o número de pedido; +PRODUCTO consulta un producto',
    keys: 'Intro consulta, y vacío repite la consulta; las flechas recuperan lo escrito; Alt+C copia la respuesta, Alt+M oculta las direcciones; suelte una lista (.csv, .xlsx) en cualquier parte.',
    lookUp: 'Consultar',
    mask: 'Ocultar direcciones',
    language: 'Idioma',
    list: 'Abrir lista',
    copyReply: 'Copiar respuesta',
    copyAnswer: 'Copiar todo',
    lookingUp: 'Consultando …',
    done: 'Listo.',
    stopped: 'gatectl ya no está en marcha: inicie gatectl reader --web de nuevo',
    openAddress: 'abra la dirección que gatectl ha mostrado',
    replyCopied: 'Respuesta copiada.',
    answerCopied: 'Todo copiado.',
    cannotCopy: 'El navegador no permite copiar: seleccione el texto.',
  },
  fr: {
    title: 'Lecteurs de',
    field: 'Adresse, e-mail, lien ou numéro de commande ; +PRODUIT vérifie un produit',
    keys: 'Entrée vérifie, et à vide vérifie de nouveau ; les flèches rappellent les saisies ; Alt+C copie la réponse, Alt+M masque les adresses ; déposez une liste (.csv, .xlsx) n’importe où.',
    lookUp: 'Vérifier',
    mask: 'Masquer les adresses',
    language: 'Langue',
    list: 'Ouvrir une liste',
    copyReply: 'Copier la réponse',
    copyAnswer: 'Tout copier',
    lookingUp: 'Vérification …',
    done: 'Terminé.',
    stopped: 'gatectl ne tourne plus : relancez gatectl reader --web',
    openAddress: 'ouvrez l’adresse que gatectl a affichée',
    replyCopied: 'Réponse copiée.',
    answerCopied: 'Tout est copié.',
    cannotCopy: 'Le navigateur ne permet pas de copier : sélectionnez le texte.',
  },
};
