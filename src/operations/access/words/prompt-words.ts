import type { BuiltInLanguage } from '../../../apis/subscriptions/languages.ts';

type Copied = 'reply' | 'answer';

/** The texts of the prompt, and of what serves the page. */
interface PromptWords {
  readonly question: string;
  readonly help: string;
  readonly nothingToCopy: Readonly<Record<Copied, string>>;
  readonly cannotCopy: string;
  readonly copied: Readonly<Record<Copied, string>>;
  readonly masked: string;
  /** Where the page is, and how to end it. */
  readonly served: (domain: string, address: string) => string;
  readonly unmasked: string;
}

/** By language; only the prompt and the page load them. */
export const PROMPT_WORDS: Readonly<Record<BuiltInLanguage, PromptWords>> = {
  en: {
    question: 'Reader (? for help): ',
    help: `Type or paste an address, an e-mail, a link, an order number or several addresses.
+HANDLE     also check this product, such as anna@example.com +premium
@FILE       look up a list: CSV or a workbook
Enter       look up the same reader again
Up, Down    recall what you typed; it is kept in memory only
c           copy the reply        a  copy everything
m           mask addresses, or show them again
l CODE      language of the answer and the reply, such as l fr
q, Ctrl-D   leave`,
    nothingToCopy: { reply: 'there is no reply to copy', answer: 'there is nothing to copy' },
    cannotCopy: 'this terminal cannot copy',
    copied: {
      reply: 'The reply is in the clipboard, if the terminal allows it.',
      answer: 'The answer is in the clipboard, if the terminal allows it.',
    },
    served: (domain, address) =>
      `Readers of ${domain} at ${address}\nOpen it in a browser of this machine; Ctrl-C stops it.`,
    masked: 'Addresses are masked.',
    unmasked: 'Addresses are shown.',
  },
  de: {
    question: 'Leser (? zeigt Hilfe): ',
    help: `Geben oder fügen Sie eine Adresse, eine Mail, einen Link, eine Bestellnummer oder mehrere Adressen ein.
+PRODUKT    auch dieses Produkt prüfen, zum Beispiel anna@example.com +premium
@DATEI      eine Liste abfragen: CSV oder eine Excel-Datei
Enter       dieselbe Adresse noch einmal abfragen
Auf, Ab     frühere Eingaben; sie stehen nur im Arbeitsspeicher
c           die Antwort an den Leser kopieren        a  alles kopieren
m           Adressen verbergen oder wieder zeigen
l CODE      Sprache der Anzeige und der Antwort, zum Beispiel l fr
q, Strg-D   beenden`,
    nothingToCopy: {
      reply: 'es gibt keine Antwort zum Kopieren',
      answer: 'es gibt noch nichts zum Kopieren',
    },
    cannotCopy: 'dieses Terminal kann nicht kopieren',
    copied: {
      reply: 'Die Antwort ist in der Zwischenablage, falls das Terminal es zulässt.',
      answer: 'Alles ist in der Zwischenablage, falls das Terminal es zulässt.',
    },
    served: (domain, address) =>
      `Leser von ${domain}: ${address}\nÖffnen Sie die Adresse in einem Browser auf diesem Rechner; Strg-C beendet die Seite.`,
    masked: 'Adressen sind verborgen.',
    unmasked: 'Adressen werden gezeigt.',
  },
  es: {
    question: 'Lector (? muestra la ayuda): ',
    help: `Escriba o pegue una dirección, un correo, un enlace, un número de pedido o varias direcciones.
+PRODUCTO   consulta también este producto, por ejemplo anna@example.com +premium
@ARCHIVO    consulta una lista: CSV o un libro de Excel
Intro       consulta de nuevo la misma dirección
Flechas     recuperan lo escrito; solo se guarda en memoria
c           copia la respuesta        a  lo copia todo
m           oculta las direcciones, o las vuelve a mostrar
l CÓDIGO    idioma del resultado y de la respuesta, por ejemplo l fr
q, Ctrl-D   salir`,
    nothingToCopy: { reply: 'no hay respuesta que copiar', answer: 'todavía no hay nada que copiar' },
    cannotCopy: 'este terminal no puede copiar',
    copied: {
      reply: 'La respuesta está en el portapapeles, si el terminal lo permite.',
      answer: 'Todo está en el portapapeles, si el terminal lo permite.',
    },
    served: (domain, address) =>
      `Lectores de ${domain}: ${address}\nÁbrala en un navegador de este ordenador; Ctrl-C la cierra.`,
    masked: 'Las direcciones están ocultas.',
    unmasked: 'Las direcciones se muestran.',
  },
  fr: {
    question: 'Lecteur (? affiche l’aide) : ',
    help: `Saisissez ou collez une adresse, un e-mail, un lien, un numéro de commande ou plusieurs adresses.
+PRODUIT    vérifie aussi ce produit, par exemple anna@example.com +premium
@FICHIER    vérifie une liste : CSV ou classeur Excel
Entrée      vérifie de nouveau la même adresse
Flèches     rappellent les saisies, gardées en mémoire seulement
c           copie la réponse        a  copie tout
m           masque les adresses, ou les affiche de nouveau
l CODE      langue de l’affichage et de la réponse, par exemple l de
q, Ctrl-D   quitter`,
    nothingToCopy: { reply: 'il n’y a pas de réponse à copier', answer: 'il n’y a encore rien à copier' },
    cannotCopy: 'ce terminal ne peut pas copier',
    copied: {
      reply: 'La réponse est dans le presse-papiers, si le terminal le permet.',
      answer: 'Tout est dans le presse-papiers, si le terminal le permet.',
    },
    served: (domain, address) =>
      `Lecteurs (${domain}) : ${address}\nOuvrez l’adresse dans un navigateur de cette machine ; Ctrl-C l’arrête.`,
    masked: 'Les adresses sont masquées.',
    unmasked: 'Les adresses sont affichées.',
  },
};
