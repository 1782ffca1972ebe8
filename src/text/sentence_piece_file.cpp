#include "text/sentence_piece_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "text/protobuf_reader.h"

namespace driftwood {

namespace {

using Field = ProtobufReader::Field;
using Kind = ProtobufReader::Kind;

constexpr std::size_t most_pieces = 1 << 24;

void expect(const Field& field, Kind kind, std::string_view what) {
  if (field.kind != kind) {
    throw InvalidInput(fmt::format("In the SentencePiece model, {} has the wire kind {}; {} is expected.", what,
                                   static_cast<int>(field.kind), static_cast<int>(kind)));
  }
}

void read_piece(std::span<const std::byte> bytes, SentencePieceFile& file) {
  if (file.pieces.size() == most_pieces) {
    throw InvalidInput(fmt::format("The SentencePiece model has more than {} pieces.", most_pieces));
  }
  std::string text;
  float score = 0;
  std::uint64_t type = 1;
  ProtobufReader reader(bytes, "a piece of the SentencePiece model");
  while (const auto field = reader.next()) {
    if (field->number == 1) {
      expect(*field, Kind::Bytes, "the text of a piece");
      text = field->text();
    } else if (field->number == 2) {
      expect(*field, Kind::Fixed32, "the score of a piece");
      score = field->number_f32();
    } else if (field->number == 3) {
      expect(*field, Kind::Varint, "the type of a piece");
      type = field->value;
    }
  }
  if (type < 1 || type > 6) {
    throw InvalidInput(fmt::format("The piece {} of the SentencePiece model has the type {}; 1 to 6 are known.",
                                   file.pieces.size(), type));
  }
  file.pieces.push_back(std::move(text));
  file.scores.push_back(score);
  file.types.push_back(static_cast<TokenType>(type));
}

void read_trainer(std::span<const std::byte> bytes, SentencePieceFile& file) {
  constexpr std::uint32_t model_type = 3, whitespace_as_suffix = 24, first_id = 40, last_id = 43;
  std::int32_t* const ids[] = {&file.unknown, &file.bos, &file.eos, &file.padding};
  ProtobufReader reader(bytes, "the trainer's settings in the SentencePiece model");
  while (const auto field = reader.next()) {
    if (field->number == model_type) {
      expect(*field, Kind::Varint, "the type of the model");
      if (field->value < 1 || field->value > 4) {
        throw InvalidInput(fmt::format("The SentencePiece model is of the type {}; 1 to 4 are known.", field->value));
      }
      file.type = static_cast<SentencePieceFile::Type>(field->value);
    } else if (field->number == whitespace_as_suffix) {
      expect(*field, Kind::Varint, "'treat_whitespace_as_suffix'");
      file.spaces_end_words = field->flag();
    } else if (field->number >= first_id && field->number <= last_id) {
      expect(*field, Kind::Varint, "the id of a special piece");
      *ids[field->number - first_id] = field->number_i32();
    }
  }
}

void read_normalizer(std::span<const std::byte> bytes, SentencePieceFile& file) {
  ProtobufReader reader(bytes, "the normalizer's settings in the SentencePiece model");
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 2:
        expect(*field, Kind::Bytes, "'precompiled_charsmap'");
        file.character_map = field->text();
        break;
      case 3:
        expect(*field, Kind::Varint, "'add_dummy_prefix'");
        file.add_dummy_prefix = field->flag();
        break;
      case 4:
        expect(*field, Kind::Varint, "'remove_extra_whitespaces'");
        file.remove_extra_spaces = field->flag();
        break;
      case 5:
        expect(*field, Kind::Varint, "'escape_whitespaces'");
        file.escape_spaces = field->flag();
        break;
      default: break;
    }
  }
}

void check(SentencePieceFile& file) {
  if (file.pieces.empty()) throw InvalidInput("The SentencePiece model has no pieces.");
  const auto count = static_cast<std::int64_t>(file.pieces.size());
  for (std::int32_t* id : {&file.unknown, &file.bos, &file.eos, &file.padding}) {
    if (*id >= count) {
      throw InvalidInput(
          fmt::format("The SentencePiece model has the special piece {}, but only {} pieces.", *id, count));
    }
    if (*id < 0) *id = -1;
  }
  // What the pieces say of themselves counts, as in SentencePiece.
  std::int64_t unknown = 0;
  for (std::int64_t id = 0; id < count; ++id) {
    if (file.types[static_cast<std::size_t>(id)] != TokenType::Unknown) continue;
    file.unknown = static_cast<std::int32_t>(id);
    ++unknown;
  }
  if (unknown != 1) {
    throw InvalidInput(fmt::format("The SentencePiece model has {} pieces for unknown text; 1 is expected.", unknown));
  }
}

}  // namespace

SentencePieceFile SentencePieceFile::parse(std::span<const std::byte> bytes) {
  SentencePieceFile file;
  ProtobufReader reader(bytes, "the SentencePiece model");
  while (const auto field = reader.next()) {
    if (field->number > 3) continue;
    expect(*field, Kind::Bytes, "a field of the model");
    if (field->number == 1) read_piece(field->bytes, file);
    if (field->number == 2) read_trainer(field->bytes, file);
    if (field->number == 3) read_normalizer(field->bytes, file);
  }
  check(file);
  return file;
}

}  // namespace driftwood
