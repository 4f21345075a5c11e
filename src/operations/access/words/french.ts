import { countedText, listed, placesText } from './places.ts';
import type { Words } from './words.ts';

const NOT_STARTED = {
  meaning: 'l’accès n’a pas encore commencé',
  next: 'la date figure dans la commande, l’API ne l’indique pas ; il n’y a rien d’autre à faire',
};
const ALLOWED = 'l’accès est actif';
const EXPIRED = 'l’accès a pris fin';

/** Of words in the counts of a list. */
const PLURALS = { 'adresse connue': 'adresses connues', 'adresse inconnue': 'adresses inconnues' };

export const FRENCH: Words = {
  tag: 'fr',
  note: 'remarque\u202f',
  warning: 'attention\u202f',
  yes: 'oui',
  no: 'non',
  meanings: {
    allowed: {
      meaning: ALLOWED,
      next: 'si la page demande encore de s’abonner, invitez le lecteur à se déconnecter puis à se reconnecter',
    },
    denied: {
      meaning: 'l’adresse est connue, mais n’y donne pas droit',
      next: 'vérifiez les achats : l’achat a peut-être été fait avec une autre adresse, ou pour un autre produit',
    },
    login_required: {
      meaning: 'l’adresse est inconnue et considérée comme non connectée',
      next: 'vérifiez l’orthographe et utilisez l’adresse du paiement ; avec un jeton de session, invitez le lecteur à se reconnecter',
    },
    expired: { meaning: EXPIRED, next: 'le lecteur peut s’abonner de nouveau' },
    revoked: {
      meaning: 'l’accès a été retiré',
      next: 'vérifiez s’il y a eu un remboursement, une contestation de paiement ou un retrait par le site avant de rétablir l’accès',
    },
    unknown_product: {
      meaning: 'ce site n’a aucun produit actif de ce nom',
      next: 'vérifiez l’orthographe du produit, et qu’il est actif pour ce domaine',
    },
    not_started: NOT_STARTED,
    suspended: {
      meaning: 'l’abonnement est suspendu, il n’y a donc pas d’accès pour le moment',
      next: 'vérifiez le paiement de l’abonnement : l’accès revient à la fin de la suspension',
    },
    pending: {
      meaning: 'l’achat n’est pas encore terminé',
      next: 'attendez le paiement, ou invitez le lecteur à terminer l’achat',
    },
    allowed_item: {
      meaning: ALLOWED,
      next: 'si la page demande encore de payer, invitez le lecteur à se déconnecter puis à se reconnecter',
    },
    expired_item: { meaning: EXPIRED, next: 'le lecteur peut l’acheter de nouveau' },
    not_started_item: NOT_STARTED,
    suspended_item: {
      meaning: 'l’achat est suspendu, il n’y a donc pas d’accès pour le moment',
      next: 'vérifiez le paiement de l’achat : l’accès revient à la fin de la suspension',
    },
    login_required_session: {
      meaning: 'la session n’est pas connectée, ou a expiré',
      next: 'invitez le lecteur à se reconnecter',
    },
    no_purchase: {
      meaning: 'l’adresse est connue, mais rien n’a été acheté avec elle',
      next: 'Demandez quelle adresse figure sur le reçu : rien n’a été acheté avec celle-ci.',
    },
  },
  codes: {
    allowed: 'actif',
    denied: 'refusé',
    login_required: 'non connecté',
    expired: 'terminé',
    revoked: 'retiré',
    unknown_product: 'produit inconnu',
    customer_required: 'non connecté',
    no_entitlement: 'sans droit',
    not_started: 'pas commencé',
    suspended: 'suspendu',
    pending: 'en attente',
    known: 'adresse connue',
    unknown: 'adresse inconnue',
    no_product: 'aucun produit',
    no_purchase: 'aucun achat',
  },
  statuses: {
    active: 'actif',
    expired: 'terminé',
    not_started: 'pas commencé',
    suspended: 'suspendu',
    pending: 'en attente',
    revoked: 'retiré',
  },
  withoutStatus: 'sans statut',
  term: {
    ended: day => `l’accès a pris fin le ${day}`,
    until: day => `l’accès est actif jusqu’au ${day}`,
    unlimited: 'l’accès est actif, sans date de fin',
  },
  headline: {
    unknownSession: domain => `Cette session n’est pas connectée sur ${domain}, ou elle est terminée.`,
    unknownAddress: domain => `Cette adresse est inconnue sur ${domain}.`,
    access: products => `Accès à ${products}.`,
    noAccess: (product, meaning) => `Pas d’accès à ${product} : ${meaning}.`,
    otherSpelling: (typed, item) => `Pas d’accès à ${typed} sous cette forme, mais à ${item}.`,
    items: count => `${bought(count)}.`,
    oneItem: status => `${bought(1)}, statut : ${status}.`,
    itemsByStatus: (count, statuses) =>
      `${bought(count)} : ${statuses.map(each => `${each.count} ${each.word}`).join(', ')}.`,
    removedProducts: 'Adresse connue, avec des achats de produits qui ne sont plus proposés.',
    nothing: domain => `Adresse connue sur ${domain}, sans produit ni achat.`,
  },
  steps: {
    about: (product, step) => `${product} : ${step}`,
    didYouMean: (handle, step) => `vouliez-vous dire ${handle} ? Sinon, ${step}`,
    signIn: 'Invitez le lecteur à se reconnecter.',
    checkSpelling: 'Vérifiez l’orthographe, ou demandez quelle adresse figure sur le reçu.',
    boughtAs: item => `acheté sous la forme ${item}`,
    otherBought: (item, meaning) =>
      `pas acheté, contrairement à ${item}${meaning === undefined ? '' : ` : ${meaning}`}`,
    notCompared: problem => `les achats n’ont pas pu être comparés : ${problem}`,
    checkItem: (item, status) =>
      `${item}, statut : ${status}. Vérifiez cet achat à l’unité pour savoir s’il donne accès`,
    orderUntold: order =>
      `La commande ${order} ne peut pas être retrouvée, car les achats n’ont pas de numéro de commande ici ; demandez l’adresse du reçu.`,
    orderMissing: order =>
      `Commande ${order} : aucun achat à cette adresse ne porte ce numéro ; demandez l’adresse du reçu.`,
    orderOf: (order, product, status) =>
      `La commande ${order} est l’achat de ${product}, statut : ${status}.`,
    removedProduct: 'un produit retiré',
    unknownStatus: 'inconnu',
    refund:
      'Remboursement : effectuez-le là où le paiement a été encaissé, puis vérifiez de nouveau ; l’accès change dès que le remboursement est connu ici.',
    refundReply: 'La réponse ne parle pas du remboursement : ajoutez une phrase à ce sujet.',
    noLongerOffered: 'l’achat porte sur un produit qui n’est plus proposé : cherchez ce qui le remplace',
  },
  changes: {
    reader: 'l’adresse',
    changed: (before, now) => `${before} → ${now}`,
    notListed: before => `${before} auparavant, n’apparaît plus`,
    none: 'Rien n’a changé.',
    noneBut: added => `Rien n’a changé ; vérifié pour la première fois : ${added}.`,
    unknown: {
      first: 'Première vérification ; il n’y a encore rien à comparer.',
      session: 'Les changements sont inconnus : rien n’est conservé pour un jeton de session.',
      unreadable: 'Les changements sont inconnus : la vérification précédente est illisible.',
    },
    today: 'aujourd’hui',
    yesterday: 'hier',
  },
  labels: {
    reader: (shown, domain) => `Lecteur ${shown} sur ${domain}`,
    session: '(jeton de session)',
    access: 'Accès',
    unknownAddress: 'adresse inconnue',
    noProduct: 'Aucun produit à vérifier.',
    next: 'Que faire',
    nothing: 'Rien.',
    purchases: 'Achats',
    noPurchases: 'Aucun achat.',
    sinceLastTime: 'Depuis la dernière fois',
    since: moment => `Depuis ${moment}`,
    reply: (about, language) => `Réponse au lecteur (${about}, ${language})`,
    columns: {
      product: 'Produit',
      item: 'Achat à l’unité',
      allowed: 'Accès',
      reason: 'Raison',
      meaning: 'En clair',
      nearest: 'Proche',
      status: 'Statut',
      ends: 'Se termine',
      reader: 'Lecteur',
      products: 'Produits',
      answer: 'Résultat',
      since: 'Depuis la dernière fois',
      next: 'Que faire',
      error: 'Problème',
    },
  },
  list: {
    readers: domain => `Lecteurs sur ${domain}`,
    products: domain => `Produits sur ${domain}`,
    anyProduct: 'au moins un produit',
    granted: (name, granted, asked, without) => {
      const others = without.reduce((sum, { count }) => sum + count, 0);
      const named = countedText(without, PLURALS);
      const rest = others === 0 ? '' : ` ; ${others} sans accès (${named})`;
      return `${name} : ${granted} ${granted < 2 ? 'lecteur' : 'lecteurs'} sur ${asked.toLocaleString('fr-FR')} avec accès${rest}`;
    },
    lines: (lines, readers) => `${lines} lignes nomment ${readers} lecteurs`,
    failed: count => `${count} n’ont pas pu être vérifiés`,
    invalid: count => `${count} sans adresse valable`,
    firstLines: (shown, all) => `Les ${shown} premières des ${all} lignes.`,
    sheets: { summary: 'Résumé', readers: 'Lecteurs' },
    problems: {
      nul: 'contient un octet NUL',
      not_text: 'n’est pas du texte UTF-8',
      no_address: 'sans adresse',
      not_an_address: 'pas une adresse e-mail',
      two_addresses: 'deux adresses dans une cellule',
      unknown_encoding: 'une adresse avec des lettres d’un codage inconnu',
    },
    opened: note =>
      note.kind === 'sheet'
        ? `lecture de la feuille ${note.name}, une sur ${note.count}`
        : `${note.name ?? 'la liste'} n’est pas du texte UTF-8 et est lu comme du Windows-1252, comme Excel enregistre le CSV${note.hasFlag ? ' ; --encoding indique un autre codage' : ''}`,
    text: 'le texte',
    content: 'la liste',
  },
  took: taken => `repris : ${takenText(taken)}`,
  tookProducts: products => `repris : ${products.map(product => `+${product}`).join(' ')}`,
  forSameReader: took => `${took}, pour la même adresse`,
  problems: {
    notAnAddress: 'pas une adresse e-mail valable',
    typeAddress: 'saisissez une adresse comme name@example.com',
    namesNoReader: taken =>
      taken.orders.length > 0 && taken.items.length === 0
        ? 'un numéro de commande ne permet pas de trouver l’adresse'
        : `${takenText(taken)} : cela ne désigne aucune adresse`,
    addAddress: 'ajoutez l’adresse',
    askForAddress: 'la recherche se fait par l’adresse seule : demandez laquelle figure sur le reçu',
    nothingToRepeat: 'il n’y a encore aucune adresse à vérifier de nouveau',
    pasteAddress: 'saisissez ou collez une adresse',
  },
};

function bought(count: number): string {
  return count === 1 ? 'Un achat à l’unité' : `${count} achats à l’unité`;
}

function takenText(taken: Parameters<Words['took']>[0]): string {
  const { emails, sender, items, orders, ignored } = taken;
  const parts: string[] = [];
  const count = emails === 1 ? 'l’adresse' : `${emails} adresses`;
  const others =
    taken.others === 0
      ? ''
      : taken.others === 1
        ? ', pas l’autre adresse du texte'
        : `, pas les ${taken.others} autres adresses du texte`;
  if (emails > 0) parts.push(sender === undefined ? count : `${count} de « ${sender} »${others}`);
  const skipped = placesText(taken.skipped, {
    line: 'ligne',
    word: 'mot',
    more: rest => ` et ${rest} autres`,
  });
  if (skipped !== '') parts.push(`sans ${skipped} : pas une adresse e-mail`);
  const tracking = taken.isTracked ? ' sans les paramètres de suivi' : '';
  if (items.length > 0)
    parts.push(`${items.length === 1 ? 'la page' : 'les pages'} ${listed(items, 'fr')}${tracking}`);
  if (orders.length > 0) parts.push(`le numéro de commande ${listed(orders, 'fr')}`);
  if (taken.asksRefund) parts.push('la demande de remboursement');
  const pages = `sans les pages ${of(ignored[0])}${ignored.slice(0, 5).join(', ')}`;
  if (ignored.length > 0) parts.push(parts.length === 0 ? `rien, ${pages}` : pages);
  return parts.join(', ');
}

/** `de ` before a name, `d’` before a vowel. */
function of(name = ''): string {
  return /^[aeiouyàâéèêîôû]/i.test(name) ? 'd’' : 'de ';
}
