/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xml_tree.h - all elements of an XML file, kept with their attributes and texts. */
#ifndef TQA_ROBOTS_XML_TREE_H
#define TQA_ROBOTS_XML_TREE_H

#include "api/robots/draft.h"

/* Elements are in the order of the file, so that parents come first. */
typedef struct tqa_xml_node {
    const char *name, *text; /* text without blanks around it, cut at TQA_XML_TEXT_MAX bytes */
    unsigned long line;
    const char *const *attributes; /* name, value, ..., NULL */
    uint32_t parent;               /* TQ_NONE: the outermost */
    uint32_t end;                  /* first element after this one's children */
} tqa_xml_node;

typedef struct tqa_xml_tree {
    const char *file; /* its path in an archive, "" without */
    uint32_t member;  /* of the archive; TQ_NONE: a single file */
    tqa_xml_node *nodes;
    size_t n_node, node_capacity;
} tqa_xml_tree;

/* Reads n bytes; everything lives in the draft's arena. False: faults were added. */
bool tqa_xml_tree_read(tqa_draft *draft, const char *bytes, size_t n, tqa_xml_tree *tree);

/* Copies of a reader's attributes in the arena, NULL when memory is short. */
const char *const *tqa_xml_keep(tqa_arena *arena, const char *const *attributes);

/* The value of an attribute of element i, or NULL. */
const char *tqa_xml_tree_attribute(const tqa_xml_tree *tree, uint32_t i, const char *name);

#endif
