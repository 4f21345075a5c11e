import type { BuiltInLanguage } from '../languages.ts';
import type { Situation } from '../situation.ts';

type Templates = Readonly<Record<Situation, string>>;

/** The replies in each language. Placeholders are those of PLACEHOLDERS. */
export const BUILT_IN: Readonly<Record<BuiltInLanguage, Templates>> = {
  en: {
    allowed: `Hello,

your access to {product} on {domain} is active. If the page still asks you to subscribe, please sign out, sign in again with the address of your subscription, and reload the page.

Kind regards`,
    denied: `Hello,

we found no active purchase of {product} under this e-mail address on {domain}. Did you perhaps use another address at checkout? If you send us that address or the receipt, we will look again.

Kind regards`,
    login_required: `Hello,

we do not know this e-mail address on {domain}. Please tell us which address you used at checkout; it is on your receipt.

Kind regards`,
    expired: `Hello,

your access to {product} on {domain} has ended. You can subscribe again at any time on {domain}; your access starts at once.

Kind regards`,
    revoked: `Hello,

your access to {product} on {domain} was ended by us or by your payment provider, for example after a refund. If you think that this is a mistake, please reply to this message and we will check it.

Kind regards`,
    unknown_product: `Hello,

we are checking which offer on {domain} your question is about, and will get back to you. If you have a receipt, please send it to us.

Kind regards`,
    not_started: `Hello,

your purchase of {product} on {domain} is confirmed, but your access has not started yet. You need not do anything: it starts by itself on the first day of your subscription.

Kind regards`,
    suspended: `Hello,

your subscription to {product} on {domain} is on hold, most often because a payment failed. Please check your payment method; your access returns as soon as the payment succeeds.

Kind regards`,
    pending: `Hello,

your purchase of {product} on {domain} is not complete yet, because the payment has not been confirmed. This can take a while. If you closed the checkout before the end, please complete it again.

Kind regards`,
    allowed_item: `Hello,

your access to {product} is active. If the page still asks you to pay, please sign out, sign in again with the address of your purchase, and reload the page.

Kind regards`,
    expired_item: `Hello,

your access to {product} has ended. You can buy it again at any time on {domain}; your access starts at once.

Kind regards`,
    not_started_item: `Hello,

your purchase of {product} is confirmed, but your access has not started yet. You need not do anything: it starts by itself.

Kind regards`,
    suspended_item: `Hello,

your purchase of {product} is on hold, most often because a payment failed. Please check your payment method; your access returns as soon as the payment succeeds.

Kind regards`,
    login_required_session: `Hello,

you are not signed in on {domain}, or your session has ended. Please sign in again with the address of your purchase, and reload the page.

Kind regards`,
    no_purchase: `Hello,

we found no purchase under this e-mail address on {domain}. Did you perhaps use another address at checkout? If you send us that address or the receipt, we will look again.

Kind regards`,
  },
  de: {
    allowed: `Guten Tag,

Ihr Zugang zu {product} auf {domain} ist aktiv. Falls die Seite trotzdem zum Abonnieren auffordert, melden Sie sich bitte ab, melden Sie sich mit der Adresse Ihres Abonnements wieder an und laden Sie die Seite neu.

Freundliche Grüße`,
    denied: `Guten Tag,

unter dieser E-Mail-Adresse finden wir auf {domain} keinen aktiven Kauf von {product}. Haben Sie beim Bezahlen vielleicht eine andere Adresse verwendet? Wenn Sie uns diese Adresse oder den Beleg schicken, sehen wir noch einmal nach.

Freundliche Grüße`,
    login_required: `Guten Tag,

diese E-Mail-Adresse ist uns auf {domain} nicht bekannt. Bitte teilen Sie uns mit, welche Adresse Sie beim Bezahlen verwendet haben; sie steht auf Ihrem Beleg.

Freundliche Grüße`,
    expired: `Guten Tag,

Ihr Zugang zu {product} auf {domain} ist abgelaufen. Sie können auf {domain} jederzeit ein neues Abonnement abschließen; der Zugang beginnt sofort.

Freundliche Grüße`,
    revoked: `Guten Tag,

Ihr Zugang zu {product} auf {domain} wurde von uns oder von Ihrem Zahlungsanbieter beendet, zum Beispiel nach einer Erstattung. Wenn Sie das für einen Irrtum halten, antworten Sie bitte auf diese Nachricht; wir prüfen es dann.

Freundliche Grüße`,
    unknown_product: `Guten Tag,

wir klären, um welches Angebot auf {domain} es geht, und melden uns wieder. Falls Sie einen Beleg haben, schicken Sie ihn uns bitte.

Freundliche Grüße`,
    not_started: `Guten Tag,

Ihr Kauf von {product} auf {domain} ist bestätigt, Ihr Zugang hat aber noch nicht begonnen. Sie müssen nichts tun: Er beginnt von selbst am ersten Tag Ihres Abonnements.

Freundliche Grüße`,
    suspended: `Guten Tag,

Ihr Abonnement von {product} auf {domain} ruht, meist weil eine Zahlung fehlgeschlagen ist. Bitte prüfen Sie Ihr Zahlungsmittel; Ihr Zugang besteht wieder, sobald die Zahlung gelingt.

Freundliche Grüße`,
    pending: `Guten Tag,

Ihr Kauf von {product} auf {domain} ist noch nicht abgeschlossen, weil die Zahlung noch nicht bestätigt ist. Das kann eine Weile dauern. Falls Sie den Bezahlvorgang abgebrochen haben, führen Sie ihn bitte noch einmal durch.

Freundliche Grüße`,
    allowed_item: `Guten Tag,

Ihr Zugang zu {product} ist aktiv. Falls die Seite trotzdem zum Bezahlen auffordert, melden Sie sich bitte ab, melden Sie sich mit der Adresse Ihres Kaufs wieder an und laden Sie die Seite neu.

Freundliche Grüße`,
    expired_item: `Guten Tag,

Ihr Zugang zu {product} ist abgelaufen. Sie können den Zugang auf {domain} jederzeit erneut kaufen; er beginnt sofort.

Freundliche Grüße`,
    not_started_item: `Guten Tag,

Ihr Kauf von {product} ist bestätigt, Ihr Zugang hat aber noch nicht begonnen. Sie müssen nichts tun: Er beginnt von selbst.

Freundliche Grüße`,
    suspended_item: `Guten Tag,

Ihr Kauf von {product} ruht, meist weil eine Zahlung fehlgeschlagen ist. Bitte prüfen Sie Ihr Zahlungsmittel; Ihr Zugang besteht wieder, sobald die Zahlung gelingt.

Freundliche Grüße`,
    login_required_session: `Guten Tag,

Sie sind auf {domain} nicht angemeldet, oder Ihre Sitzung ist abgelaufen. Bitte melden Sie sich mit der Adresse Ihres Kaufs wieder an und laden Sie die Seite neu.

Freundliche Grüße`,
    no_purchase: `Guten Tag,

unter dieser E-Mail-Adresse finden wir auf {domain} keinen Kauf. Haben Sie beim Bezahlen vielleicht eine andere Adresse verwendet? Wenn Sie uns diese Adresse oder den Beleg schicken, sehen wir noch einmal nach.

Freundliche Grüße`,
  },
  es: {
    allowed: `Buenos días:

Su acceso a {product} en {domain} está activo. Si la página todavía le pide suscribirse, cierre la sesión, iníciela de nuevo con la dirección de su suscripción y vuelva a cargar la página.

Un saludo`,
    denied: `Buenos días:

No encontramos ninguna compra activa de {product} con esta dirección de correo en {domain}. ¿Usó quizá otra dirección al pagar? Si nos envía esa dirección o el recibo, volveremos a comprobarlo.

Un saludo`,
    login_required: `Buenos días:

No conocemos esta dirección de correo en {domain}. Díganos, por favor, qué dirección usó al pagar; figura en su recibo.

Un saludo`,
    expired: `Buenos días:

Su acceso a {product} en {domain} ha terminado. Puede suscribirse de nuevo en {domain} cuando quiera; el acceso comienza de inmediato.

Un saludo`,
    revoked: `Buenos días:

Nosotros o su proveedor de pagos hemos puesto fin a su acceso a {product} en {domain}, por ejemplo tras un reembolso. Si cree que es un error, responda a este mensaje y lo revisaremos.

Un saludo`,
    unknown_product: `Buenos días:

Estamos comprobando a qué oferta de {domain} se refiere su consulta y le responderemos. Si tiene un recibo, envíenoslo, por favor.

Un saludo`,
    not_started: `Buenos días:

Su compra de {product} en {domain} está confirmada, pero su acceso todavía no ha comenzado. No tiene que hacer nada: comenzará por sí solo el primer día de su suscripción.

Un saludo`,
    suspended: `Buenos días:

Su suscripción a {product} en {domain} está en pausa, casi siempre porque ha fallado un pago. Revise, por favor, su forma de pago; recuperará el acceso en cuanto el pago se realice.

Un saludo`,
    pending: `Buenos días:

Su compra de {product} en {domain} aún no está completa, porque el pago no se ha confirmado. Puede tardar un poco. Si cerró la página de pago antes de terminar, repita el pago, por favor.

Un saludo`,
    allowed_item: `Buenos días:

Su acceso a {product} está activo. Si la página todavía le pide pagar, cierre la sesión, iníciela de nuevo con la dirección de su compra y vuelva a cargar la página.

Un saludo`,
    expired_item: `Buenos días:

Su acceso a {product} ha terminado. Puede comprarlo de nuevo en {domain} cuando quiera; el acceso comienza de inmediato.

Un saludo`,
    not_started_item: `Buenos días:

Su compra de {product} está confirmada, pero su acceso todavía no ha comenzado. No tiene que hacer nada: comenzará por sí solo.

Un saludo`,
    suspended_item: `Buenos días:

Su compra de {product} está en pausa, casi siempre porque ha fallado un pago. Revise, por favor, su forma de pago; recuperará el acceso en cuanto el pago se realice.

Un saludo`,
    login_required_session: `Hola:

No ha iniciado sesión en {domain}, o su sesión ha terminado. Inicie sesión de nuevo, por favor, con la dirección de su compra y vuelva a cargar la página.

Un saludo`,
    no_purchase: `Hola:

No encontramos ninguna compra con esta dirección de correo en {domain}. ¿Usó quizá otra dirección al pagar? Si nos envía esa dirección o el recibo, volveremos a comprobarlo.

Un saludo`,
  },
  fr: {
    allowed: `Bonjour,

Votre accès à {product} sur {domain} est actif. Si la page vous demande encore de vous abonner, déconnectez-vous, reconnectez-vous avec l’adresse de votre abonnement, puis rechargez la page.

Cordialement`,
    denied: `Bonjour,

Nous ne trouvons aucun achat actif de {product} avec cette adresse e-mail sur {domain}. Avez-vous utilisé une autre adresse lors du paiement ? Si vous nous envoyez cette adresse ou le reçu, nous vérifierons à nouveau.

Cordialement`,
    login_required: `Bonjour,

Nous ne connaissons pas cette adresse e-mail sur {domain}. Merci de nous indiquer l’adresse utilisée lors du paiement ; elle figure sur votre reçu.

Cordialement`,
    expired: `Bonjour,

Votre accès à {product} sur {domain} a pris fin. Vous pouvez vous abonner de nouveau à tout moment sur {domain} ; l’accès commence immédiatement.

Cordialement`,
    revoked: `Bonjour,

Votre accès à {product} sur {domain} a été résilié par nous ou par votre prestataire de paiement, par exemple après un remboursement. Si vous pensez qu’il s’agit d’une erreur, répondez à ce message et nous vérifierons.

Cordialement`,
    unknown_product: `Bonjour,

Nous vérifions de quelle offre de {domain} il s’agit et reviendrons vers vous. Si vous avez un reçu, merci de nous l’envoyer.

Cordialement`,
    not_started: `Bonjour,

Votre achat de {product} sur {domain} est confirmé, mais votre accès n’a pas encore commencé. Vous n’avez rien à faire : il commencera de lui-même le premier jour de votre abonnement.

Cordialement`,
    suspended: `Bonjour,

Votre abonnement à {product} sur {domain} est suspendu, le plus souvent parce qu’un paiement a échoué. Merci de vérifier votre moyen de paiement ; votre accès revient dès que le paiement réussit.

Cordialement`,
    pending: `Bonjour,

Votre achat de {product} sur {domain} n’est pas encore terminé, car le paiement n’est pas confirmé. Cela peut prendre un moment. Si vous avez fermé la page de paiement avant la fin, merci de recommencer.

Cordialement`,
    allowed_item: `Bonjour,

Votre accès à {product} est actif. Si la page vous demande encore de payer, déconnectez-vous, reconnectez-vous avec l’adresse de votre achat, puis rechargez la page.

Cordialement`,
    expired_item: `Bonjour,

Votre accès à {product} a pris fin. Vous pouvez l’acheter de nouveau à tout moment sur {domain} ; l’accès commence immédiatement.

Cordialement`,
    not_started_item: `Bonjour,

Votre achat de {product} est confirmé, mais votre accès n’a pas encore commencé. Vous n’avez rien à faire : il commencera de lui-même.

Cordialement`,
    suspended_item: `Bonjour,

Votre achat de {product} est suspendu, le plus souvent parce qu’un paiement a échoué. Merci de vérifier votre moyen de paiement ; votre accès revient dès que le paiement réussit.

Cordialement`,
    login_required_session: `Bonjour,

Vous n’êtes pas connecté sur {domain}, ou votre session a expiré. Merci de vous reconnecter avec l’adresse de votre achat, puis de recharger la page.

Cordialement`,
    no_purchase: `Bonjour,

Nous ne trouvons aucun achat avec cette adresse e-mail sur {domain}. Avez-vous utilisé une autre adresse lors du paiement ? Si vous nous envoyez cette adresse ou le reçu, nous vérifierons à nouveau.

Cordialement`,
  },
};
