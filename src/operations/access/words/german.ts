import { countedText, listed, placesText } from './places.ts';
import type { Words } from './words.ts';

const NOT_STARTED = {
  meaning: 'Der Zugang hat noch nicht begonnen',
  next: 'Das Datum steht in der Bestellung, die API nennt es nicht; sonst ist nichts zu tun',
};
const ALLOWED = 'Der Zugang besteht';
const EXPIRED = 'Der Zugang bestand und ist abgelaufen';

/** Of words in the counts of a list. */
const PLURALS = { 'Adresse bekannt': 'Adressen bekannt', 'Adresse unbekannt': 'Adressen unbekannt' };

export const GERMAN: Words = {
  tag: 'de',
  note: 'Hinweis',
  warning: 'Warnung',
  yes: 'ja',
  no: 'nein',
  meanings: {
    allowed: {
      meaning: ALLOWED,
      next: 'Falls die Seite weiterhin zum Abonnieren auffordert, bitten Sie den Leser, sich ab- und wieder anzumelden',
    },
    denied: {
      meaning: 'Die Adresse ist bekannt, hat dafür aber keine Berechtigung',
      next: 'Prüfen Sie die Käufe: Vielleicht wurde mit einer anderen Adresse gekauft, oder ein anderes Produkt',
    },
    login_required: {
      meaning: 'Die Adresse ist nicht bekannt und gilt als nicht angemeldet',
      next: 'Prüfen Sie die Schreibweise, und nehmen Sie die Adresse vom Bezahlen; bei einem Sitzungstoken hilft eine neue Anmeldung',
    },
    expired: { meaning: EXPIRED, next: 'Ein neues Abonnement ist jederzeit möglich' },
    revoked: {
      meaning: 'Der Zugang wurde entzogen',
      next: 'Prüfen Sie, ob es eine Erstattung oder Rückbuchung gab oder ob die Redaktion den Zugang entfernt hat, bevor Sie ihn wiederherstellen',
    },
    unknown_product: {
      meaning: 'Dieses Angebot gibt es hier nicht, oder es ist nicht aktiv',
      next: 'Prüfen Sie die Schreibweise des Produkts und ob es für diese Domain aktiv ist',
    },
    not_started: NOT_STARTED,
    suspended: {
      meaning: 'Das Abonnement ruht, deshalb besteht zurzeit kein Zugang',
      next: 'Prüfen Sie die Zahlung des Abonnements: Der Zugang besteht wieder, sobald es nicht mehr ruht',
    },
    pending: {
      meaning: 'Der Kauf ist noch nicht abgeschlossen',
      next: 'Warten Sie die Zahlung ab, oder bitten Sie darum, den Bezahlvorgang abzuschließen',
    },
    allowed_item: {
      meaning: ALLOWED,
      next: 'Falls die Seite weiterhin zum Bezahlen auffordert, bitten Sie den Leser, sich ab- und wieder anzumelden',
    },
    expired_item: { meaning: EXPIRED, next: 'Der Zugang kann erneut gekauft werden' },
    not_started_item: NOT_STARTED,
    suspended_item: {
      meaning: 'Der Kauf ruht, deshalb besteht zurzeit kein Zugang',
      next: 'Prüfen Sie die Zahlung des Kaufs: Der Zugang besteht wieder, sobald er nicht mehr ruht',
    },
    login_required_session: {
      meaning: 'Die Sitzung ist nicht angemeldet oder abgelaufen',
      next: 'Bitten Sie um eine neue Anmeldung',
    },
    no_purchase: {
      meaning: 'Die Adresse ist bekannt, mit ihr wurde aber nichts gekauft',
      next: 'Fragen Sie, welche Adresse auf dem Beleg steht: Mit dieser wurde nichts gekauft.',
    },
  },
  codes: {
    allowed: 'Zugang besteht',
    denied: 'abgelehnt',
    login_required: 'nicht angemeldet',
    expired: 'abgelaufen',
    revoked: 'entzogen',
    unknown_product: 'Produkt unbekannt',
    customer_required: 'nicht angemeldet',
    no_entitlement: 'keine Berechtigung',
    not_started: 'beginnt später',
    suspended: 'ruht',
    pending: 'in Bearbeitung',
    known: 'Adresse bekannt',
    unknown: 'Adresse unbekannt',
    no_product: 'kein Produkt',
    no_purchase: 'kein Kauf',
  },
  statuses: {
    active: 'aktiv',
    expired: 'abgelaufen',
    not_started: 'beginnt später',
    suspended: 'ruht',
    pending: 'in Bearbeitung',
    revoked: 'entzogen',
  },
  withoutStatus: 'ohne Status',
  term: {
    ended: day => `Der Zugang endete am ${day}`,
    until: day => `Der Zugang besteht bis zum ${day}`,
    unlimited: 'Der Zugang besteht ohne Enddatum',
  },
  headline: {
    unknownSession: domain => `Diese Sitzung ist auf ${domain} nicht angemeldet oder beendet.`,
    unknownAddress: domain => `Diese Adresse ist auf ${domain} nicht bekannt.`,
    access: products => `Zugang zu ${products}.`,
    noAccess: (product, meaning) => `Kein Zugang zu ${product}: ${meaning}.`,
    otherSpelling: (typed, item) => `Kein Zugang zu ${typed} in dieser Schreibweise, aber zu ${item}.`,
    items: count => `${bought(count)}.`,
    oneItem: status => `${bought(1)}, Status: ${status}.`,
    itemsByStatus: (count, statuses) =>
      `${bought(count)}: ${statuses.map(each => `${each.count} ${each.word}`).join(', ')}.`,
    removedProducts: 'Bekannt, mit Käufen von Produkten, die nicht mehr angeboten werden.',
    nothing: domain => `Auf ${domain} bekannt, ohne Produkt und ohne Kauf.`,
  },
  steps: {
    about: (product, step) => `${product}: ${step}`,
    didYouMean: (handle, step) => `Meinten Sie ${handle}? Sonst: ${step}`,
    signIn: 'Bitten Sie den Leser, sich neu anzumelden.',
    checkSpelling: 'Prüfen Sie die Schreibweise, oder fragen Sie, welche Adresse auf dem Beleg steht.',
    boughtAs: item => `Gekauft als ${item}`,
    otherBought: (item, meaning) =>
      `Nicht gekauft, wohl aber ${item}${meaning === undefined ? '' : `: ${meaning}`}`,
    notCompared: problem => `Die Käufe konnten nicht verglichen werden: ${problem}`,
    checkItem: (item, status) =>
      `${item}, Status: ${status}. Fragen Sie diesen Einzelkauf ab, um zu sehen, ob Zugang besteht`,
    orderUntold: order =>
      `Die Bestellung ${order} lässt sich nicht zuordnen, weil Käufe hier keine Bestellnummern haben; fragen Sie nach der Adresse auf dem Beleg.`,
    orderMissing: order =>
      `Bestellung ${order}: Kein Kauf unter dieser Adresse hat diese Nummer; fragen Sie nach der Adresse auf dem Beleg.`,
    orderOf: (order, product, status) =>
      `Die Bestellung ${order} ist der Kauf von ${product}, Status: ${status}.`,
    removedProduct: 'einem entfernten Produkt',
    unknownStatus: 'unbekannt',
    refund:
      'Erstattung: Veranlassen Sie sie dort, wo bezahlt wurde. Sehen Sie danach noch einmal nach; der Zugang ändert sich, sobald die Erstattung hier bekannt ist.',
    refundReply: 'Die Antwort erwähnt die Erstattung nicht: Ergänzen Sie einen Satz dazu.',
    noLongerOffered:
      'Gekauft wurde ein Produkt, das nicht mehr angeboten wird: Sehen Sie nach, was es ersetzt',
  },
  changes: {
    reader: 'der Leser',
    changed: (before, now) => `${before} → ${now}`,
    notListed: before => `vorher ${before}, jetzt nicht mehr aufgeführt`,
    none: 'Unverändert.',
    noneBut: added => `Unverändert; zum ersten Mal geprüft: ${added}.`,
    unknown: {
      first: 'Zum ersten Mal abgefragt; es gibt noch keinen Vergleich.',
      session: 'Änderungen sind nicht bekannt: Zu einem Sitzungstoken wird nichts gespeichert.',
      unreadable: 'Änderungen sind nicht bekannt: Das Ergebnis der letzten Abfrage ist nicht lesbar.',
    },
    today: 'heute',
    yesterday: 'gestern',
  },
  labels: {
    reader: (shown, domain) => `Leser ${shown} auf ${domain}`,
    session: '(Sitzungstoken)',
    access: 'Zugang',
    unknownAddress: 'Adresse unbekannt',
    noProduct: 'Kein Produkt zu prüfen.',
    next: 'Was zu tun ist',
    nothing: 'Nichts.',
    purchases: 'Käufe',
    noPurchases: 'Keine Käufe.',
    sinceLastTime: 'Seit dem letzten Mal',
    since: moment => `Seit ${moment}`,
    reply: (about, language) => `Antwort an den Leser (${about}, ${language})`,
    columns: {
      product: 'Produkt',
      item: 'Einzelkauf',
      allowed: 'Zugang',
      reason: 'Grund',
      meaning: 'In Worten',
      nearest: 'Ähnlich',
      status: 'Status',
      ends: 'Endet',
      reader: 'Leser',
      products: 'Produkte',
      answer: 'Ergebnis',
      since: 'Seit dem letzten Mal',
      next: 'Was zu tun ist',
      error: 'Fehler',
    },
  },
  list: {
    readers: domain => `Leser auf ${domain}`,
    products: domain => `Produkte auf ${domain}`,
    anyProduct: 'mindestens ein Produkt',
    granted: (name, granted, asked, without) => {
      const others = without.reduce((sum, { count }) => sum + count, 0);
      const named = countedText(without, PLURALS);
      const rest = others === 0 ? '' : `; ${others} ohne Zugang (${named})`;
      return `${name}: ${granted} von ${asked.toLocaleString('de-DE')} ${asked === 1 ? 'Leser' : 'Lesern'} mit Zugang${rest}`;
    },
    lines: (lines, readers) => `${lines} Zeilen nennen ${readers} Leser`,
    failed: count => `${count} konnten nicht geprüft werden`,
    invalid: count => `${count} ohne gültige Adresse`,
    firstLines: (shown, all) => `Die ersten ${shown} von ${all} Zeilen.`,
    sheets: { summary: 'Zusammenfassung', readers: 'Leser' },
    problems: {
      nul: 'enthält ein NUL-Byte',
      not_text: 'ist kein UTF-8-Text',
      no_address: 'ohne Adresse',
      not_an_address: 'keine E-Mail-Adresse',
      two_addresses: 'zwei Adressen in einer Zelle',
      unknown_encoding: 'eine Adresse mit Buchstaben in unbekannter Kodierung',
    },
    opened: note =>
      note.kind === 'sheet'
        ? `gelesen wird das Blatt ${note.name}, eines von ${note.count}`
        : `${note.name ?? 'die Liste'} ist kein UTF-8-Text und wird als Windows-1252 gelesen, wie Excel CSV speichert${note.hasFlag ? '; --encoding nennt eine andere Kodierung' : ''}`,
    text: 'der Text',
    content: 'die Liste',
  },
  took: taken => `übernommen: ${takenText(taken)}`,
  tookProducts: products => `übernommen: ${products.map(product => `+${product}`).join(' ')}`,
  forSameReader: took => `${took}, für dieselbe Adresse`,
  problems: {
    notAnAddress: 'keine gültige E-Mail-Adresse',
    typeAddress: 'geben Sie eine Adresse ein, zum Beispiel name@example.com',
    namesNoReader: taken =>
      taken.orders.length > 0 && taken.items.length === 0
        ? 'Zu einer Bestellnummer lässt sich keine Adresse finden'
        : `${takenText(taken)}: Darin steht keine Adresse`,
    addAddress: 'ergänzen Sie die Adresse',
    askForAddress: 'gefunden wird nur über die Adresse: Fragen Sie, welche auf dem Beleg steht',
    nothingToRepeat: 'es gibt noch keine Adresse, die erneut abgefragt werden kann',
    pasteAddress: 'geben oder fügen Sie eine Adresse ein',
  },
};

function bought(count: number): string {
  return count === 1 ? 'Ein Einzelkauf' : `${count} Einzelkäufe`;
}

function takenText(taken: Parameters<Words['took']>[0]): string {
  const { emails, sender, items, orders, ignored } = taken;
  const parts: string[] = [];
  const count = emails === 1 ? 'die Adresse' : `${emails} Adressen`;
  const others =
    taken.others === 0
      ? ''
      : taken.others === 1
        ? ', nicht die andere Adresse im Text'
        : `, nicht die ${taken.others} anderen Adressen im Text`;
  if (emails > 0) parts.push(sender === undefined ? count : `${count} aus „${sender}“${others}`);
  const skipped = placesText(taken.skipped, {
    line: 'Zeile',
    word: 'Wort',
    more: rest => ` und ${rest} weitere`,
  });
  if (skipped !== '') parts.push(`nicht ${skipped}: keine E-Mail-Adresse`);
  const tracking = taken.isTracked ? ' ohne Tracking-Parameter' : '';
  if (items.length > 0)
    parts.push(`${items.length === 1 ? 'die Seite' : 'die Seiten'} ${listed(items, 'de')}${tracking}`);
  if (orders.length > 0) parts.push(`die Bestellnummer ${listed(orders, 'de')}`);
  if (taken.asksRefund) parts.push('die Bitte um Erstattung');
  const pages = `nicht die Seiten von ${ignored.slice(0, 5).join(', ')}`;
  if (ignored.length > 0) parts.push(parts.length === 0 ? `nichts, ${pages}` : pages);
  return parts.join(', ');
}
