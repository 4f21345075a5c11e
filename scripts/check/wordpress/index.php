<?php
// A theme of one file: every page lists its posts with all that an edit may change.
echo '<!doctype html><title>', esc_html(wp_get_document_title()), "</title>\n";
while (have_posts()) {
    the_post();
    $terms = fn($taxonomy) => implode(' ', wp_get_post_terms(get_the_ID(), $taxonomy, ['fields' => 'slugs']));
    printf("<article>%s: %s by %s [%s] [%s] %s</article>\n", get_permalink(), get_the_title(), get_the_author_meta('user_nicename'), $terms('category'), $terms('post_tag'), get_the_content());
}
echo $wp_query->max_num_pages, " pages\n";
