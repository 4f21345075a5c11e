import { countedText, listed, placesText } from './places.ts';
import type { Words } from './words.ts';

const NOT_STARTED = {
  meaning: 'el acceso todavía no ha comenzado',
  next: 'la fecha figura en el pedido, la API no la indica; no hay nada más que hacer',
};
const ALLOWED = 'el acceso está activo';
const EXPIRED = 'el acceso ha terminado';

/** Of words in the counts of a list. */
const PLURALS = {
  'dirección conocida': 'direcciones conocidas',
  'dirección desconocida': 'direcciones desconocidas',
};

export const SPANISH: Words = {
  tag: 'es',
  note: 'nota',
  warning: 'aviso',
  yes: 'sí',
  no: 'no',
  meanings: {
    allowed: {
      meaning: ALLOWED,
      next: 'si la página sigue pidiendo una suscripción, pida que se cierre la sesión y se inicie de nuevo',
    },
    denied: {
      meaning: 'la dirección es conocida, pero no da derecho a esto',
      next: 'revise las compras: quizá se compró con otra dirección, o se compró otro producto',
    },
    login_required: {
      meaning: 'la dirección no es conocida y cuenta como sin sesión iniciada',
      next: 'revise cómo está escrita y use la dirección del pago; con un token de sesión, pida que se inicie sesión de nuevo',
    },
    expired: { meaning: EXPIRED, next: 'es posible suscribirse de nuevo' },
    revoked: {
      meaning: 'el acceso fue retirado',
      next: 'compruebe si hubo un reembolso, una devolución del cargo o una retirada del sitio antes de restablecer el acceso',
    },
    unknown_product: {
      meaning: 'este sitio no tiene ningún producto activo con este nombre',
      next: 'revise cómo está escrito el producto y que esté activo en este dominio',
    },
    not_started: NOT_STARTED,
    suspended: {
      meaning: 'la suscripción está en pausa, por eso no hay acceso por ahora',
      next: 'revise el pago de la suscripción: el acceso vuelve cuando termina la pausa',
    },
    pending: {
      meaning: 'la compra aún no está completa',
      next: 'espere el pago, o pida que se complete la compra',
    },
    allowed_item: {
      meaning: ALLOWED,
      next: 'si la página sigue pidiendo un pago, pida que se cierre la sesión y se inicie de nuevo',
    },
    expired_item: { meaning: EXPIRED, next: 'se puede comprar de nuevo' },
    not_started_item: NOT_STARTED,
    suspended_item: {
      meaning: 'la compra está en pausa, por eso no hay acceso por ahora',
      next: 'revise el pago de la compra: el acceso vuelve cuando termina la pausa',
    },
    login_required_session: {
      meaning: 'la sesión no está iniciada, o ha terminado',
      next: 'pida que se inicie sesión de nuevo',
    },
    no_purchase: {
      meaning: 'la dirección es conocida, pero con ella no se ha comprado nada',
      next: 'Pregunte qué dirección figura en el recibo: con esta no se ha comprado nada.',
    },
  },
  codes: {
    allowed: 'con acceso',
    denied: 'denegado',
    login_required: 'sin sesión',
    expired: 'terminado',
    revoked: 'retirado',
    unknown_product: 'producto desconocido',
    customer_required: 'sin sesión',
    no_entitlement: 'sin derecho',
    not_started: 'aún no comienza',
    suspended: 'en pausa',
    pending: 'pendiente',
    known: 'dirección conocida',
    unknown: 'dirección desconocida',
    no_product: 'ningún producto',
    no_purchase: 'ninguna compra',
  },
  statuses: {
    active: 'activa',
    expired: 'terminada',
    not_started: 'aún no comienza',
    suspended: 'en pausa',
    pending: 'pendiente',
    revoked: 'retirada',
  },
  withoutStatus: 'sin estado',
  term: {
    ended: day => `el acceso terminó el ${day}`,
    until: day => `el acceso está activo hasta el ${day}`,
    unlimited: 'el acceso está activo, sin fecha de fin',
  },
  headline: {
    unknownSession: domain => `No hay ninguna sesión iniciada en ${domain}, o ha terminado.`,
    unknownAddress: domain => `Esta dirección no es conocida en ${domain}.`,
    access: products => `Acceso a ${products}.`,
    noAccess: (product, meaning) => `Sin acceso a ${product}: ${meaning}.`,
    otherSpelling: (typed, item) => `Sin acceso a ${typed} tal como está escrito, pero sí a ${item}.`,
    items: count => `${bought(count)}.`,
    oneItem: status => `${bought(1)}, estado: ${ofItem(status)}.`,
    itemsByStatus: (count, statuses) =>
      `${bought(count)}: ${statuses.map(each => `${each.count} ${ofItem(each.word)}`).join(', ')}.`,
    removedProducts: 'Dirección conocida, con compras de productos que ya no se ofrecen.',
    nothing: domain => `Dirección conocida en ${domain}, sin productos ni compras.`,
  },
  steps: {
    about: (product, step) => `${product}: ${step}`,
    didYouMean: (handle, step) => `¿quiso decir ${handle}? Si no, ${step}`,
    signIn: 'Pida que se inicie sesión de nuevo.',
    checkSpelling: 'Revise cómo está escrita, o pregunte qué dirección figura en el recibo.',
    boughtAs: item => `comprado como ${item}`,
    otherBought: (item, meaning) =>
      `no está comprado, pero sí ${item}${meaning === undefined ? '' : `: ${meaning}`}`,
    notCompared: problem => `no se pudieron comparar las compras: ${problem}`,
    checkItem: (item, status) =>
      `${item}, estado: ${status}. Consulte este artículo suelto para saber si hay acceso`,
    orderUntold: order =>
      `No se puede saber a qué compra corresponde el pedido ${order}, porque aquí las compras no tienen número de pedido; pregunte por la dirección del recibo.`,
    orderMissing: order =>
      `Pedido ${order}: ninguna compra con esta dirección tiene este número; pregunte por la dirección del recibo.`,
    orderOf: (order, product, status) => `El pedido ${order} es la compra de ${product}, estado: ${status}.`,
    removedProduct: 'un producto retirado',
    unknownStatus: 'desconocido',
    refund:
      'Reembolso: hágalo donde se cobró el pago y consulte de nuevo; el acceso cambia cuando aquí se conoce el reembolso.',
    refundReply: 'La respuesta no menciona el reembolso: añada una frase al respecto.',
    noLongerOffered: 'se compró un producto que ya no se ofrece: busque cuál lo sustituye',
  },
  changes: {
    reader: 'la dirección',
    changed: (before, now) => `${before} → ${now}`,
    notListed: before => `antes ${before}, ahora no figura`,
    none: 'Nada ha cambiado.',
    noneBut: added => `Nada ha cambiado; consultado por primera vez: ${added}.`,
    unknown: {
      first: 'Primera consulta; todavía no hay con qué comparar.',
      session: 'No se sabe qué ha cambiado: de un token de sesión no se guarda nada.',
      unreadable: 'No se sabe qué ha cambiado: no se puede leer la consulta anterior.',
    },
    today: 'hoy',
    yesterday: 'ayer',
  },
  labels: {
    reader: (shown, domain) => `Lector ${shown} en ${domain}`,
    session: '(token de sesión)',
    access: 'Acceso',
    unknownAddress: 'dirección desconocida',
    noProduct: 'Ningún producto que consultar.',
    next: 'Qué hacer',
    nothing: 'Nada.',
    purchases: 'Compras',
    noPurchases: 'Ninguna compra.',
    sinceLastTime: 'Desde la última vez',
    since: moment => `Desde ${moment}`,
    reply: (about, language) => `Respuesta al lector (${about}, ${language})`,
    columns: {
      product: 'Producto',
      item: 'Artículo suelto',
      allowed: 'Acceso',
      reason: 'Motivo',
      meaning: 'En palabras',
      nearest: 'Parecido',
      status: 'Estado',
      ends: 'Termina',
      reader: 'Lector',
      products: 'Productos',
      answer: 'Resultado',
      since: 'Desde la última vez',
      next: 'Qué hacer',
      error: 'Problema',
    },
  },
  list: {
    readers: domain => `Lectores en ${domain}`,
    products: domain => `Productos en ${domain}`,
    anyProduct: 'algún producto',
    granted: (name, granted, asked, without) => {
      const others = without.reduce((sum, { count }) => sum + count, 0);
      const named = countedText(without, PLURALS);
      const rest = others === 0 ? '' : `; ${others} sin acceso (${named})`;
      return `${name}: ${granted} de ${asked.toLocaleString('es-ES')} ${asked === 1 ? 'lector' : 'lectores'} con acceso${rest}`;
    },
    lines: (lines, readers) => `${lines} líneas nombran a ${readers} lectores`,
    failed: count => `${count} sin poder consultarse`,
    invalid: count => `${count} sin una dirección válida`,
    firstLines: (shown, all) => `Las primeras ${shown} de ${all} líneas.`,
    sheets: { summary: 'Resumen', readers: 'Lectores' },
    problems: {
      nul: 'contiene un byte NUL',
      not_text: 'no es texto UTF-8',
      no_address: 'sin dirección',
      not_an_address: 'no es una dirección de correo',
      two_addresses: 'dos direcciones en una celda',
      unknown_encoding: 'una dirección con letras de una codificación desconocida',
    },
    opened: note =>
      note.kind === 'sheet'
        ? `se lee la hoja ${note.name}, una de ${note.count}`
        : `${note.name ?? 'la lista'} no es texto UTF-8 y se lee como Windows-1252, como Excel guarda CSV${note.hasFlag ? '; --encoding indica otra codificación' : ''}`,
    text: 'el texto',
    content: 'la lista',
  },
  took: taken => `${taken.emails > 1 ? 'se han tomado' : 'se ha tomado'}: ${takenText(taken)}`,
  tookProducts: products => `se ha tomado: ${products.map(product => `+${product}`).join(' ')}`,
  forSameReader: took => `${took}, para la misma dirección`,
  problems: {
    notAnAddress: 'no es una dirección de correo válida',
    typeAddress: 'escriba una dirección como name@example.com',
    namesNoReader: taken => `${takenText(taken)}: no nombra ninguna dirección`,
    addAddress: 'añada la dirección',
    askForAddress: 'solo se busca por la dirección: pregunte cuál figura en el recibo',
    nothingToRepeat: 'todavía no hay ninguna dirección que consultar de nuevo',
    pasteAddress: 'escriba o pegue una dirección',
  },
};

function bought(count: number): string {
  return count === 1 ? 'Un artículo suelto comprado' : `${count} artículos sueltos comprados`;
}

function takenText(taken: Parameters<Words['took']>[0]): string {
  const { emails, sender, items, orders, ignored } = taken;
  const parts: string[] = [];
  const count = emails === 1 ? 'la dirección' : `${emails} direcciones`;
  const others =
    taken.others === 0
      ? ''
      : taken.others === 1
        ? ', no la otra dirección del texto'
        : `, no las otras ${taken.others} direcciones del texto`;
  if (emails > 0) parts.push(sender === undefined ? count : `${count} de «${sender}»${others}`);
  const skipped = placesText(taken.skipped, {
    line: 'línea',
    word: 'palabra',
    more: rest => ` y ${rest} más`,
  });
  if (skipped !== '') parts.push(`sin ${skipped}: no es una dirección de correo`);
  const tracking = taken.isTracked ? ' sin los parámetros de seguimiento' : '';
  if (items.length > 0)
    parts.push(`${items.length === 1 ? 'la página' : 'las páginas'} ${listed(items, 'es')}${tracking}`);
  if (orders.length > 0) parts.push(`el número de pedido ${listed(orders, 'es')}`);
  if (taken.asksRefund) parts.push('la petición de reembolso');
  const pages = `sin las páginas de ${ignored.slice(0, 5).join(', ')}`;
  if (ignored.length > 0) parts.push(parts.length === 0 ? `nada, ${pages}` : pages);
  return parts.join(', ');
}

/** The status of an article, which is masculine, where that of a purchase is feminine. */
function ofItem(status: string): string {
  return status.replace(/^(activ|terminad|retirad)a$/, '$1o');
}
