// Reads and writes vectors of logs with Go's golang.org/x/mod/sumdb: see README.md.
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type inclusion struct {
	Index  int64    `json:"index"`
	Leaf   string   `json:"leaf"`
	Hashes []string `json:"hashes"`
}

type consistency struct {
	Old     int64    `json:"old"`
	OldRoot string   `json:"oldRoot"`
	Hashes  []string `json:"hashes"`
}

type tree struct {
	Size        int64             `json:"size"`
	Checkpoint  string            `json:"checkpoint"`
	Tiles       map[string]string `json:"tiles"`
	Inclusion   []inclusion       `json:"inclusion"`
	Consistency []consistency     `json:"consistency"`
}

type vectors struct {
	LogKey string `json:"logKey"`
	Trees  []tree `json:"trees"`
}

const height = 8

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func require(ok bool, format string, args ...any) {
	if !ok {
		must(0, fmt.Errorf(format, args...))
	}
}

// Go puts the height into the paths of tiles; tlog-tiles has one height and leaves it out.
func pathOf(t tlog.Tile) string {
	return strings.Replace(t.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
}

// tilesOf lists the tiles of a tree; Go lists the partial tiles of smaller trees as well.
func tilesOf(size int64) []tlog.Tile {
	tiles := []tlog.Tile{}
	for _, tile := range tlog.NewTiles(height, 0, size) {
		if tile.W == 1<<height || tile.N<<height+int64(tile.W) == size>>(height*tile.L) {
			tiles = append(tiles, tile)
		}
	}
	return tiles
}

// served reads tiles of a tree, as a client of a log does.
type served map[string]string

func (s served) Height() int { return height }

func (s served) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var read [][]byte
	for _, t := range tiles {
		text, ok := s[pathOf(t)]
		if !ok {
			return nil, fmt.Errorf("%s is missing", pathOf(t))
		}
		bytes, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, err
		}
		read = append(read, bytes)
	}
	return read, nil
}

func (s served) SaveTiles([]tlog.Tile, [][]byte) {}

func hashesOf(texts []string) []tlog.Hash {
	hashes := []tlog.Hash{}
	for _, text := range texts {
		hashes = append(hashes, must(tlog.ParseHash(text)))
	}
	return hashes
}

func textsOf(hashes []tlog.Hash) []string {
	texts := []string{}
	for _, hash := range hashes {
		texts = append(texts, hash.String())
	}
	return texts
}

// open verifies a checkpoint, and returns the root of its tree. Cosignatures are of another type of key, which Go does not know.
func open(t tree, verifier note.Verifier) tlog.Hash {
	opened := must(note.Open([]byte(t.Checkpoint), note.VerifierList(verifier)))
	lines := strings.Split(opened.Text, "\n")
	require(len(lines) == 4 && lines[0] == verifier.Name(), "the checkpoint of %d entries is of another log", t.Size)
	require(lines[1] == fmt.Sprint(t.Size), "the checkpoint of %d entries says %s", t.Size, lines[1])
	return must(tlog.ParseHash(lines[2]))
}

func same(a, b []tlog.Hash) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func check(t tree, verifier note.Verifier) {
	root := open(t, verifier)
	if t.Size == 0 {
		// Go has no hash of the empty tree: it is the one of the empty string.
		require(root == tlog.Hash(sha256.Sum256(nil)), "the empty tree has another root")
		return
	}
	reader := tlog.TileHashReader(tlog.Tree{N: t.Size, Hash: root}, served(t.Tiles))
	require(must(tlog.TreeHash(t.Size, reader)) == root, "the tiles of %d entries have another root", t.Size)
	// Every tile of hashes, also those that no proof of these vectors needs.
	for _, tile := range tilesOf(t.Size) {
		_, ok := t.Tiles[pathOf(tile)]
		require(ok, "%s is missing", pathOf(tile))
		data := must(tlog.ReadTileData(tile, reader))
		require(base64.StdEncoding.EncodeToString(data) == t.Tiles[pathOf(tile)], "%s is another", pathOf(tile))
	}
	for _, proof := range t.Inclusion {
		hashes := hashesOf(proof.Hashes)
		leaf := must(tlog.ParseHash(proof.Leaf))
		must(0, tlog.CheckRecord(hashes, t.Size, root, proof.Index, leaf))
		require(same(must(tlog.ProveRecord(t.Size, proof.Index, reader)), hashes), "Go proves entry %d otherwise", proof.Index)
	}
	for _, proof := range t.Consistency {
		// Go has no proof that begins with the empty tree.
		if proof.Old == 0 {
			require(len(proof.Hashes) == 0, "the proof of the empty tree is not empty")
			continue
		}
		hashes := hashesOf(proof.Hashes)
		must(0, tlog.CheckTree(hashes, t.Size, root, proof.Old, must(tlog.ParseHash(proof.OldRoot))))
		require(same(must(tlog.ProveTree(t.Size, proof.Old, reader)), hashes), "Go proves size %d otherwise", proof.Old)
	}
}

// stored keeps the hashes of a log, as Go stores them.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := []tlog.Hash{}
	for _, index := range indexes {
		hashes = append(hashes, s[index])
	}
	return hashes, nil
}

// keySource makes the same key each time: it is public anyway.
type keySource struct{}

func (keySource) Read(bytes []byte) (int, error) {
	seed := sha256.Sum256([]byte("svc vectors: the key of a log of Go"))
	return copy(bytes, seed[:]), nil
}

func entryOf(index int64) []byte { return []byte(fmt.Sprintf("entry %d of Go", index)) }

func makeTree(size int64, sizes []int64, hashes stored, signer note.Signer) tree {
	root := must(tlog.TreeHash(size, hashes))
	text := fmt.Sprintf("%s\n%d\n%s\n", signer.Name(), size, root)
	t := tree{
		Size:       size,
		Checkpoint: string(must(note.Sign(&note.Note{Text: text}, signer))),
		Tiles:      map[string]string{},
	}
	for _, tile := range tilesOf(size) {
		t.Tiles[pathOf(tile)] = base64.StdEncoding.EncodeToString(must(tlog.ReadTileData(tile, hashes)))
	}
	for _, index := range []int64{0, 1, 5, 200, 255, 256, size - 1} {
		if index >= size || (index == size-1 && len(t.Inclusion) > 0 && t.Inclusion[len(t.Inclusion)-1].Index == index) {
			continue
		}
		proof := must(tlog.ProveRecord(size, index, hashes))
		leaf := tlog.RecordHash(entryOf(index))
		t.Inclusion = append(t.Inclusion, inclusion{index, leaf.String(), textsOf(proof)})
	}
	for _, old := range sizes {
		if old > size {
			break
		}
		proof := must(tlog.ProveTree(size, old, hashes))
		t.Consistency = append(t.Consistency, consistency{old, must(tlog.TreeHash(old, hashes)).String(), textsOf(proof)})
	}
	return t
}

func makeVectors() vectors {
	privateKey, verifierKey, err := note.GenerateKey(keySource{}, "go.example/log")
	must(0, err)
	signer := must(note.NewSigner(privateKey))
	sizes := []int64{1, 2, 3, 7, 8, 255, 256, 257, 513}
	var hashes stored
	made := vectors{LogKey: verifierKey}
	for index := int64(0); index < sizes[len(sizes)-1]; index++ {
		hashes = append(hashes, must(tlog.StoredHashes(index, entryOf(index), hashes))...)
	}
	for _, size := range sizes {
		made.Trees = append(made.Trees, makeTree(size, sizes, hashes, signer))
	}
	return made
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "make" {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		must(0, encoder.Encode(makeVectors()))
		return
	}
	require(len(os.Args) == 2 && os.Args[1] == "check", "usage: foreign check < vectors.json, or foreign make > go.json")
	var read vectors
	must(0, json.NewDecoder(os.Stdin).Decode(&read))
	verifier := must(note.NewVerifier(read.LogKey))
	for _, t := range read.Trees {
		check(t, verifier)
	}
	fmt.Printf("%d trees verified\n", len(read.Trees))
}
